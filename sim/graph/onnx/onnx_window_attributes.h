// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/compose/windows.h"
#include "sim/graph/onnx/onnx_call.h"

namespace okksim::sim::graph::onnx {

// Attributes that convolutions and pools have in common. Lists have one number per spatial
// direction, and `pads` two: all starts, then all ends.

/// Returns the sizes after batch and channels. Refuses feature maps without or with more than three
/// of them.
Shape spatial_shape(const Call& call, const Value& x);
/// Returns the sizes [N, C, spatial...].
Shape feature_shape(std::int64_t batch, std::int64_t channels, const Shape& spatial);

/// Returns a list attribute of numbers from `least`, or `otherwise` everywhere.
std::vector<std::int64_t> direction_list(const Call& call, std::string_view name,
                                         std::size_t directions, std::int64_t otherwise,
                                         std::int64_t least);
/// Returns the attribute kernel_shape, which must equal `weights` if they are given.
Shape kernel_shape(const Call& call, std::size_t directions, const Shape* weights = nullptr);

enum class AutoPad { kExplicit, kSameUpper, kSameLower, kValid };
AutoPad auto_pad(const Call& call);
/// Returns kernel, stride, dilation and the padding of the file, without auto_pad.
compose::Windows explicit_windows(const Call& call, const Shape& kernel);
/// Returns the windows of a convolution or pool.
compose::Windows windows_of(const Call& call, const Shape& kernel, const Shape& spatial);
/// Returns the number of windows per direction; refuses windows that do not fit.
Shape window_counts(const Call& call, const compose::Windows& windows, const Shape& spatial,
                    bool ceil_mode);

/// Refuses operands other than real numbers.
void require_real(const Call& call, const Value& value);

}  // namespace okksim::sim::graph::onnx
