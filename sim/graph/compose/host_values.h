// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/graph/operator_builder.h"

namespace okksim::sim::graph::compose {

/// Returns the product of the dimensions [first, limit).
std::int64_t extent(const Shape& shape, std::size_t first, std::size_t limit);
inline std::int64_t extent(const Shape& shape) { return extent(shape, 0, shape.size()); }
/// Returns the row-major step of each dimension.
Shape row_steps(const Shape& shape);
/// Moves `index` to the next position of `shape`, row-major; false after the last one.
bool next_position(Shape& index, const Shape& shape);
inline Shape with_dimension(Shape shape, std::size_t axis, std::int64_t size) {
    shape[axis] = size;
    return shape;
}
/// Returns 0, 1, ... count - 1.
std::vector<std::int64_t> counting(std::int64_t count);

/// Adds a constant of a floating-point or integer type.
TensorIndex real_values(OperatorBuilder& ops, DType type, Shape shape,
                        const std::vector<double>& values, std::string_view role);
/// Adds a constant of i32.
TensorIndex index_values(OperatorBuilder& ops, Shape shape, const std::vector<std::int64_t>& values,
                         std::string_view role);
/// Returns a tensor with equal elements.
TensorIndex filled(OperatorBuilder& ops, DType type, const Shape& shape, double value);
/// Returns the least value of the type, which is -infinity for floating-point types.
double lowest_value(DType type);
double highest_value(DType type);

/// Reshapes to `from`, permutes, and reshapes to `to`. The result for a constant is a constant.
TensorIndex rearranged(OperatorBuilder& ops, TensorIndex x, const Shape& from,
                       const std::vector<std::int32_t>& perms, const Shape& to,
                       std::string_view role = "arranged");
TensorIndex transposed(OperatorBuilder& ops, TensorIndex x, const std::vector<std::int32_t>& perms);
/// Reshapes. The result for a constant is a constant with the same bytes.
TensorIndex reshaped(OperatorBuilder& ops, TensorIndex x, const Shape& shape,
                     std::string_view role = "shaped");
/// Reverses an axis. The result for a constant is a constant.
TensorIndex mirrored(OperatorBuilder& ops, TensorIndex x, std::size_t axis);
/// Returns elements [start, start + size) along an axis. The result for a constant is a constant.
TensorIndex part(OperatorBuilder& ops, TensorIndex x, std::size_t axis, std::int64_t start,
                 std::int64_t size);

/// Reshapes to [outer, size of the axis, inner].
TensorIndex as_lines(OperatorBuilder& ops, TensorIndex x, std::size_t axis);
/// Moves the axis to another position.
TensorIndex moved_axis(OperatorBuilder& ops, TensorIndex x, std::size_t from, std::size_t to);

/// Converts bool to i8, because GATHER and SCATTER have no bool; `from_movable` converts it back.
TensorIndex to_movable(OperatorBuilder& ops, TensorIndex x);
TensorIndex from_movable(OperatorBuilder& ops, TensorIndex x, DType type);

}  // namespace okksim::sim::graph::compose
