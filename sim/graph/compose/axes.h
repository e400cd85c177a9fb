// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/graph/operator_builder.h"

/// Parts that several functions of this folder share: slices, axes and constants.
namespace okksim::sim::graph::compose {

/// One of REDUCE_SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PRODUCT, REDUCE_ALL, REDUCE_ANY.
TensorIndex reduce_axis(OperatorBuilder& ops, OpCode op, TensorIndex x, std::size_t axis);
/// The shape with dimensions of 1 at the axes, or without them.
Shape reduced_shape(const Shape& shape, const std::vector<std::size_t>& axes, bool keep_dims);

/// A tensor whose consecutive reduced dimensions are one, so that fewer reductions are needed.
struct MergedAxes {
    TensorIndex tensor = 0;
    std::vector<std::size_t> axes;  ///< of `tensor`
    double count = 1;               ///< elements per result
};
MergedAxes merge_axes(OperatorBuilder& ops, TensorIndex x, const std::vector<std::size_t>& axes);

/// Reduces the axes of a value with `op`, keeping dimensions of 1.
TensorIndex reduce_axes(OperatorBuilder& ops, OpCode op, TensorIndex x,
                        const std::vector<std::size_t>& axes);

/// Whether the axes are a map's height and width, which a pool can reduce.
bool is_whole_map(const Shape& shape, const std::vector<std::size_t>& axes);
/// The mean over the whole of floating-point feature maps [N,H,W,C] as a pool, which needs no other
/// storage order; nothing if the axes are not {1,2} or too long.
std::optional<TensorIndex> mean_of_maps(OperatorBuilder& ops, TensorIndex x,
                                        const std::vector<std::size_t>& axes);
/// The same for the maximum, also of kI8 and kI16.
std::optional<TensorIndex> largest_of_maps(OperatorBuilder& ops, TensorIndex x,
                                           const std::vector<std::size_t>& axes);

/// The order of dimensions that exchanges two of them.
std::vector<std::int32_t> exchange(std::size_t rank, std::size_t x, std::size_t y);
/// The constant 0, 1, ... size - 1 of kI32 along an axis; other dimensions are 1.
TensorIndex positions(OperatorBuilder& ops, std::size_t rank, std::size_t axis, std::int64_t size);
/// Returns `x` with shape [C] as dimension `axis` of `rank` dimensions.
TensorIndex along_axis(OperatorBuilder& ops, TensorIndex x, std::size_t rank, std::size_t axis);

/// [N,H,C] times [N,C,W] of a floating-point type; the result is fp32.
TensorIndex matrix_product(OperatorBuilder& ops, TensorIndex x, TensorIndex y,
                           std::string_view role);

}  // namespace okksim::sim::graph::compose
