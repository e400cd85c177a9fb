// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "firmware/okk.h"
#include "isa/layout.h"
#include "kernels/conv/step.h"
#include "kernels/prim/lanes.h"

/// Shapes of a step's tiles in local memory.
namespace okksim::kernels::conv {

/// Strides n, c, h, w of the aligned layout of elements of `element_bytes`.
inline std::array<std::int64_t, 4> aligned_strides(const dim4& shape, int element_bytes,
                                                   const Lanes& lanes) {
    const std::int64_t channel =
        lanes.whole_line_bytes(std::int64_t{shape.h} * shape.w * element_bytes) / element_bytes;
    return {channel * lanes.slots(shape.c), channel, shape.w, 1};
}

/// Shape of the inputs that a step loads.
inline dim4 input_shape(const Step& step) {
    return {step.images.size(), step.inputs.size(), step.slice_y.count, step.slice_x.count};
}

/// Shape of the inputs for products, with padding if it is stored in the tile.
inline dim4 window_shape(const Step& step, const Tiling& tiling) {
    if (!tiling.zeros_in_tile) return input_shape(step);
    return {step.images.size(), step.inputs.size(), step.slice_y.span(), step.slice_x.span()};
}

inline dim4 output_shape(const Step& step) {
    return {step.images.size(), step.channels.size(), step.y.size(), step.x.size()};
}

/// Input channels that are side by side in a unit of weights.
inline std::int32_t channels_of_unit(const Tiling& tiling) { return tiling.halves ? 4 : 2; }

/// Weights of one tap, padded to whole units. They are words, or 16-bit elements if products take
/// these. Depthwise: one.
inline std::int32_t tap_weights(const Problem& problem, const Tiling& tiling, const Step& step) {
    if (problem.kind == ProblemKind::kDepthwise) return 1;
    return static_cast<std::int32_t>(isa::align_up(step.inputs.size(), channels_of_unit(tiling)));
}

/// Weights of one output channel.
inline std::int32_t weight_row(const Problem& problem, const Tiling& tiling, const Step& step) {
    return step.taps_y.size() * step.taps_x.size() * tap_weights(problem, tiling, step);
}

}  // namespace okksim::kernels::conv
