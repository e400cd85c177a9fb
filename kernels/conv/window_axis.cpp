// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/window_axis.h"

#include <algorithm>

namespace okksim::kernels::conv {
namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/// The slice of `span` positions from `begin` on, on an axis with zeros between its inputs.
AxisSlice stretched_slice(const WindowAxis& axis, std::int64_t begin, std::int64_t span) {
    const std::int64_t first = std::max<std::int64_t>(-floor_div(-begin, axis.stretch), 0);
    const std::int64_t last =
        std::min<std::int64_t>(floor_div(begin + span - 1, axis.stretch), axis.input - 1);
    AxisSlice slice;
    slice.stretch = axis.stretch;
    slice.first = first;
    slice.count = static_cast<std::int32_t>(std::max<std::int64_t>(last - first + 1, 0));
    slice.before = slice.count == 0 ? static_cast<std::int32_t>(span)
                                    : static_cast<std::int32_t>(first * axis.stretch - begin);
    slice.after = static_cast<std::int32_t>(span) - slice.span();
    return slice;
}

}  // namespace

Range part_of(std::int32_t extent, std::int32_t size, std::int32_t index) {
    const std::int64_t begin = std::int64_t{size} * index;
    return {static_cast<std::int32_t>(begin),
            static_cast<std::int32_t>(std::min<std::int64_t>(begin + size, extent))};
}

std::int64_t span_of(const WindowAxis& axis, AxisMode mode, std::int32_t outputs,
                     std::int32_t taps) {
    if (mode == AxisMode::kSingleTap) return outputs;
    return std::int64_t{outputs - 1} * axis.step + std::int64_t{taps - 1} * axis.spacing + 1;
}

AxisSlice slice_of(const WindowAxis& axis, AxisMode mode, const Range& outputs, const Range& taps) {
    const std::int64_t span = span_of(axis, mode, outputs.size(), taps.size());
    const std::int64_t begin = std::int64_t{outputs.begin} * axis.step +
                               std::int64_t{taps.begin} * axis.spacing - axis.pad;
    if (axis.stretch > 1) return stretched_slice(axis, begin, span);
    const std::int64_t step = mode == AxisMode::kSingleTap ? axis.step : 1;
    const std::int64_t before = std::clamp<std::int64_t>(-floor_div(begin, step), 0, span);
    const std::int64_t end =
        std::clamp<std::int64_t>(floor_div(axis.input - 1 - begin, step) + 1, before, span);
    AxisSlice slice;
    slice.first = begin + before * step;
    slice.count = static_cast<std::int32_t>(end - before);
    slice.load_step = static_cast<std::int32_t>(step);
    slice.before = static_cast<std::int32_t>(before);
    slice.after = static_cast<std::int32_t>(span - end);
    return slice;
}

std::int64_t inputs_within(const WindowAxis& axis, std::int64_t span) {
    return std::min<std::int64_t>((span - 1) / axis.stretch + 1, axis.input);
}

std::int64_t most_zeros(const WindowAxis& axis, AxisMode mode) {
    const std::int64_t last = std::int64_t{axis.output - 1} * axis.step +
                              std::int64_t{axis.taps - 1} * axis.spacing - axis.pad;
    const std::int64_t step = mode == AxisMode::kSingleTap ? axis.step : 1;
    return -floor_div(-std::max({axis.pad, last - (axis.input - 1), std::int64_t{0}}), step);
}

}  // namespace okksim::kernels::conv
