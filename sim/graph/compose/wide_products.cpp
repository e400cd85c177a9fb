// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/compose/wide_products.h"

#include <algorithm>
#include <numeric>

#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/moves.h"

namespace okksim::sim::graph::compose {

namespace {

TensorIndex with_last_swapped(OperatorBuilder& ops, TensorIndex x) {
    std::vector<std::int32_t> perms(ops.rank(x));
    std::iota(perms.begin(), perms.end(), 0);
    std::swap(perms[perms.size() - 1], perms[perms.size() - 2]);
    return transposed(ops, x, perms);
}

/// Returns the dimensions before the matrix.
Shape batch_of(const Shape& shape) { return {shape.begin(), shape.end() - 2}; }

/// Reshapes to [batch, rows, columns] of a common batch.
TensorIndex batched(OperatorBuilder& ops, TensorIndex x, const Shape& batch) {
    const Shape shape = ops.shape(x);
    Shape wanted = batch;
    wanted.insert(wanted.end(), shape.end() - 2, shape.end());
    return reshaped(ops, batch_of(shape) == batch ? x : expand(ops, x, wanted),
                    {extent(batch), shape[shape.size() - 2], shape.back()});
}

DType accumulator_of(DType type) {
    if (is_floating_point(type)) return DType::kFp32;
    return type == DType::kI16 ? DType::kI48 : DType::kI32;
}

}  // namespace

TensorIndex matmul_batches(OperatorBuilder& ops, TensorIndex a, TensorIndex b,
                           const MatmulOptions& options) {
    const DType type = ops.type(a);
    const Shape left = ops.shape(a), right = ops.shape(b);
    const Shape result{left[0], left[1], right[2]};
    if (type == DType::kI32) {
        const TensorIndex products =
            ops.product(ops.reshape(a, {left[0], left[1], left[2], 1}, "columns"),
                        ops.reshape(b, {right[0], 1, right[1], right[2]}, "rows"), "products");
        return ops.reshape(ops.reduce_sum(products, 2, "sums"), result, "matrix");
    }
    const TensorIndex zero_a = ops.number(type, 1, static_cast<double>(options.zero_point_a));
    const TensorIndex zero_b =
        ops.number(ops.type(b), 1, static_cast<double>(options.zero_point_b));
    return ops.block().add(OpCode::kMatmul, NoAttributes{}, {a, b, zero_a, zero_b},
                           accumulator_of(type), result, "matmul");
}

TensorIndex wide_matmul(OperatorBuilder& ops, TensorIndex a, TensorIndex b,
                        const MatmulOptions& options) {
    const bool is_row = ops.rank(a) == 1, is_column = ops.rank(b) == 1;
    if (is_row) a = reshaped(ops, a, {1, ops.shape(a)[0]});
    if (is_column) b = reshaped(ops, b, {ops.shape(b)[0], 1});
    if (options.transpose_a && !is_row) a = with_last_swapped(ops, a);
    if (options.transpose_b && !is_column) b = with_last_swapped(ops, b);
    const Shape left = ops.shape(a), right = ops.shape(b);
    const Shape batch = broadcast_shape(batch_of(left), batch_of(right));
    const std::int64_t rows = left[left.size() - 2], columns = right.back();
    TensorIndex product{};
    if (extent(batch_of(right)) == 1 && extent(batch_of(left)) == extent(batch)) {
        // One matrix on the right: the rows of all batches are one matrix.
        a = reshaped(ops, a, {1, extent(left) / left.back(), left.back()});
        b = reshaped(ops, b, {1, right[right.size() - 2], columns});
        product = matmul_batches(ops, a, b, options);
    } else {
        product = matmul_batches(ops, batched(ops, a, batch), batched(ops, b, batch), options);
    }
    if (options.finish) product = options.finish(product);
    Shape result = batch;
    if (!is_row) result.push_back(rows);
    if (!is_column) result.push_back(columns);
    return ops.reshape(product, result, "product");
}

}  // namespace okksim::sim::graph::compose
