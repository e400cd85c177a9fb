// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/compose/index_lists.h"

#include "sim/graph/compose/host_values.h"

namespace okksim::sim::graph::compose {

TensorIndex wrapped_indices(OperatorBuilder& ops, TensorIndex indices, std::int64_t size) {
    // The sign bit of a negative index selects `size`.
    const std::size_t rank = ops.rank(indices);
    const TensorIndex sign = ops.binary(OpCode::kArithmeticRightShift, indices,
                                        ops.number(DType::kI32, rank, 31), "sign");
    const TensorIndex added =
        ops.binary(OpCode::kBitwiseAnd, sign,
                   ops.number(DType::kI32, rank, static_cast<double>(size)), "wrap");
    return ops.binary(OpCode::kAdd, indices, added, "wrapped");
}

TensorIndex element_list(OperatorBuilder& ops, TensorIndex indices, const Shape& shape,
                         std::size_t axis) {
    const Shape list = ops.shape(indices);
    const Shape steps = row_steps(shape);
    std::vector<std::int64_t> starts;
    Shape at(list.size(), 0);
    do {
        std::int64_t start = 0;
        for (std::size_t i = 0; i < at.size(); ++i) start += i == axis ? 0 : at[i] * steps[i];
        starts.push_back(start);
    } while (next_position(at, list));
    const std::int64_t count = extent(list);
    TensorIndex flat = ops.reshape(indices, {count}, "index_list");
    if (steps[axis] != 1) {
        flat = ops.product(flat, ops.number(DType::kI32, 1, static_cast<double>(steps[axis])),
                           "index_steps");
    }
    return ops.binary(OpCode::kAdd, flat, index_values(ops, {count}, starts, "starts"),
                      "positions");
}

TensorIndex row_list(OperatorBuilder& ops, TensorIndex indices, const Shape& shape) {
    const auto depth = static_cast<std::int64_t>(shape.size());
    const std::int64_t count = extent(ops.shape(indices)) / depth;
    TensorIndex list = ops.reshape(indices, {count, depth}, "index_rows");
    const std::size_t rank = 2;
    const TensorIndex sign =
        ops.binary(OpCode::kArithmeticRightShift, list, ops.number(DType::kI32, rank, 31), "sign");
    const TensorIndex sizes = index_values(ops, {1, depth}, shape, "sizes");
    list = ops.binary(OpCode::kAdd, list, ops.binary(OpCode::kBitwiseAnd, sign, sizes, "wrap"),
                      "wrapped");
    const TensorIndex steps = index_values(ops, {1, depth}, row_steps(shape), "steps");
    const TensorIndex sums = ops.reduce_sum(ops.product(list, steps, "index_steps"), 1, "sums");
    return ops.reshape(sums, {count}, "positions");
}

std::vector<std::int64_t> row_positions(const std::vector<std::int64_t>& indices,
                                        const Shape& shape) {
    const Shape steps = row_steps(shape);
    std::vector<std::int64_t> result;
    for (std::size_t i = 0; i + shape.size() <= indices.size(); i += shape.size()) {
        std::int64_t position = 0;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            const std::int64_t index = indices[i + d];
            position += (index < 0 ? index + shape[d] : index) * steps[d];
        }
        result.push_back(position);
    }
    return result;
}

}  // namespace okksim::sim::graph::compose
