// SPDX-License-Identifier: Apache-2.0
// Positions of extrema and cumulative sums.
#include "sim/graph/compose/axes.h"
#include "sim/graph/compose/float_functions.h"
#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/integer_functions.h"
#include "sim/graph/compose/reductions.h"

namespace okksim::sim::graph::compose {

namespace {

/// ARGMAX lacks kI32: the least (or greatest) position whose element is the extremum.
TensorIndex position_of(OperatorBuilder& ops, TensorIndex x, std::size_t axis, bool is_max,
                        bool is_last) {
    const std::int64_t size = ops.shape(x)[axis];
    const std::size_t rank = ops.rank(x);
    const OpCode extremum = is_max ? OpCode::kReduceMax : OpCode::kReduceMin;
    const TensorIndex best = reduce_axis(ops, extremum, x, axis);
    const TensorIndex is_best = ops.test(OpCode::kEqual, x, best, "is_best");
    const TensorIndex none = ops.number(DType::kI32, rank, is_last ? -1.0 : double(size));
    const TensorIndex found =
        ops.select(is_best, positions(ops, rank, axis, size), none, "positions_of_best");
    return reduce_axis(ops, is_last ? OpCode::kReduceMax : OpCode::kReduceMin, found, axis);
}

TensorIndex position_of_largest(OperatorBuilder& ops, TensorIndex x, std::size_t axis,
                                bool is_last) {
    const Shape result = reduced_shape(ops.shape(x), {axis}, false);
    const std::int64_t size = ops.shape(x)[axis];
    if (is_last) x = ops.reverse(x, axis, "reversed");
    const ArgmaxAttributes attributes{static_cast<std::int32_t>(axis),
                                      NanPropagationMode::kPropagate};
    const TensorIndex found =
        ops.block().add(OpCode::kArgmax, attributes, {x}, DType::kI32, result, "position");
    if (!is_last) return found;
    const TensorIndex end = ops.number(DType::kI32, result.size(), double(size - 1));
    return ops.binary(OpCode::kSub, end, found, "position_from_end");
}

TensorIndex position_in_shape(OperatorBuilder& ops, TensorIndex x, std::size_t axis, bool is_max,
                              bool keep_dims, bool is_last) {
    const Shape result = reduced_shape(ops.shape(x), {axis}, keep_dims);
    const DType type = ops.type(x);
    if (type == DType::kI32) {
        return ops.reshape(position_of(ops, x, axis, is_max, is_last), result, "positions");
    }
    if (!is_max) {  // ~x has the opposite order for all integers
        x = is_floating_point(type) ? negative(ops, x)
                                    : ops.unary(OpCode::kBitwiseNot, x, "opposite");
    }
    return ops.reshape(position_of_largest(ops, x, axis, is_last), result, "positions");
}

/// Moves the elements by `distance` along the axis; zeros enter.
TensorIndex moved(OperatorBuilder& ops, TensorIndex x, std::size_t axis, std::int64_t distance,
                  bool to_front) {
    const std::int64_t rest = ops.shape(x)[axis] - distance;
    const TensorIndex kept = part(ops, x, axis, to_front ? distance : 0, rest);
    Shape padding(2 * ops.rank(x), 0);
    padding[2 * axis + (to_front ? 1 : 0)] = distance;
    return ops.pad(kept, padding, ops.number(ops.type(x), 1, 0), "moved");
}

/// Each step doubles the number of elements in the sums.
TensorIndex sum_by_doubling(OperatorBuilder& ops, TensorIndex x, std::size_t axis, bool exclusive,
                            bool reverse) {
    const std::int64_t size = ops.shape(x)[axis];
    if (exclusive) x = moved(ops, x, axis, 1, reverse);
    for (std::int64_t distance = 1; distance < size; distance *= 2) {
        x = ops.binary(OpCode::kAdd, x, moved(ops, x, axis, distance, reverse), "sum");
    }
    return x;
}

/// A product with a triangle of ones: element [i,j] counts if x[i] belongs to the sum j.
TensorIndex sum_by_product(OperatorBuilder& ops, TensorIndex x, std::size_t axis, bool exclusive,
                           bool reverse) {
    const std::size_t last = ops.rank(x) - 1;
    const std::int64_t size = ops.shape(x)[axis];
    std::vector<double> ones;
    for (std::int64_t i = 0; i < size; ++i) {
        for (std::int64_t j = 0; j < size; ++j) {
            const bool is_before = reverse ? i > j : i < j;
            ones.push_back(is_before || (i == j && !exclusive) ? 1 : 0);
        }
    }
    const TensorIndex triangle = real_values(ops, DType::kFp32, {1, size, size}, ones, "triangle");
    const auto perms = exchange(last + 1, axis, last);
    const TensorIndex turned = ops.transpose(x, perms, "axis_last");
    const Shape shape = ops.shape(turned);
    const auto rows = static_cast<std::int64_t>(element_count(shape).value_or(0)) / size;
    const TensorIndex matrix = ops.reshape(turned, {1, rows, size}, "rows");
    const TensorIndex sums = matrix_product(ops, matrix, triangle, "sums");
    return ops.transpose(ops.reshape(sums, shape, "sums_in_shape"), perms, "axis_back");
}

}  // namespace

TensorIndex arg_max(OperatorBuilder& ops, TensorIndex x, std::size_t axis, bool keep_dims,
                    bool select_last_index) {
    return position_in_shape(ops, x, axis, true, keep_dims, select_last_index);
}

TensorIndex arg_min(OperatorBuilder& ops, TensorIndex x, std::size_t axis, bool keep_dims,
                    bool select_last_index) {
    return position_in_shape(ops, x, axis, false, keep_dims, select_last_index);
}

TensorIndex cumulative_sum(OperatorBuilder& ops, TensorIndex x, std::size_t axis, bool exclusive,
                           bool reverse) {
    // A triangle of this length takes 1 MiB of constants.
    constexpr std::int64_t kLongestProduct = 512;
    const DType type = ops.type(x);
    const std::int64_t size = ops.shape(x)[axis];
    if (size == 1 && !exclusive) return x;
    const bool is_real = is_floating_point(type);
    const TensorIndex wide = ops.cast(x, is_real ? DType::kFp32 : DType::kI32, "widened");
    if (size == 1) {
        return ops.cast(ops.binary(OpCode::kSub, wide, wide, "nothing"), type, "narrowed");
    }
    const bool is_product = is_real && size > 2 && size <= kLongestProduct;
    const TensorIndex sums = is_product ? sum_by_product(ops, wide, axis, exclusive, reverse)
                                        : sum_by_doubling(ops, wide, axis, exclusive, reverse);
    return ops.cast(sums, type, "narrowed");
}

}  // namespace okksim::sim::graph::compose
