// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph/compose/windows.h"
#include "sim/graph/operator_builder.h"

namespace okksim::sim::graph::compose {

/// Broadcasts to a shape by numpy's rules; a dimension of 1 in `shape` keeps that of `x`.
TensorIndex expand(OperatorBuilder& ops, TensorIndex x, const Shape& shape);
/// Returns the shape of two operands that broadcast by numpy's rules.
Shape broadcast_shape(const Shape& a, const Shape& b);
TensorIndex tile(OperatorBuilder& ops, TensorIndex x, const Shape& repeats);
/// Repeats each element `times` times along an axis.
TensorIndex repeat(OperatorBuilder& ops, TensorIndex x, std::size_t axis, std::int64_t times);

/// kReflect omits the border element (TFLite's REFLECT), kSymmetric repeats it.
enum class PadMode { kConstant, kReflect, kSymmetric, kEdge, kWrap };
/// `padding` before and after each dimension; negative padding crops first.
TensorIndex pad(OperatorBuilder& ops, TensorIndex x, const Shape& padding, PadMode mode,
                double value = 0);
/// Pads with the run-time `value`, which has one element.
TensorIndex pad_with(OperatorBuilder& ops, TensorIndex x, const Shape& padding, TensorIndex value);

/// Order of the channels of DepthToSpace: block position before depth (DCR) or after it (CRD).
enum class BlockOrder { kDcr, kCrd };
/// Dimension 0 is the batch, `channel_axis` the channels, and the others are spatial. It is 1 for
/// N,C,H,W and the last dimension for N,H,W,C.
TensorIndex depth_to_space(OperatorBuilder& ops, TensorIndex x, std::int64_t block,
                           BlockOrder order, std::size_t channel_axis);
TensorIndex space_to_depth(OperatorBuilder& ops, TensorIndex x, std::int64_t block,
                           std::size_t channel_axis);
/// The dimensions after the batch have one block size each, and two values of padding or crops.
/// `value` is the padding value, which is the zero point of integers.
TensorIndex space_to_batch_nd(OperatorBuilder& ops, TensorIndex x,
                              const std::vector<std::int64_t>& block, const Shape& padding,
                              double value = 0);
TensorIndex batch_to_space_nd(OperatorBuilder& ops, TensorIndex x,
                              const std::vector<std::int64_t>& block, const Shape& crops);

std::vector<TensorIndex> split(OperatorBuilder& ops, TensorIndex x,
                               const std::vector<std::int64_t>& sizes, std::size_t axis);
/// CONCAT of any number of parts.
TensorIndex concat(OperatorBuilder& ops, const std::vector<TensorIndex>& parts, std::size_t axis);
/// Moves all elements by `shift` along an axis; elements that leave it enter at the other end.
TensorIndex roll(OperatorBuilder& ops, TensorIndex x, std::int64_t shift, std::size_t axis);
/// Sums columns [N, C * taps, windows] into an image [N, C, spatial...], ONNX Col2Im. `image` is
/// the spatial shape.
TensorIndex col2im(OperatorBuilder& ops, TensorIndex x, const Shape& image, const Windows& windows);

}  // namespace okksim::sim::graph::compose
