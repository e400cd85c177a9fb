// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::kernels::conv {

/// Half-open range of indices.
struct Range {
    std::int32_t begin = 0;
    std::int32_t end = 0;
    std::int32_t size() const { return end - begin; }
    bool operator==(const Range&) const = default;
};

/// Part `index` of [0, extent) cut into parts of `size`.
Range part_of(std::int32_t extent, std::int32_t size, std::int32_t index);

/// One axis of a sliding window: output o at tap t reads input o * step + t * spacing - pad, or
/// zero where no such input exists. `pad` may be negative.
struct WindowAxis {
    std::int32_t input = 1;
    std::int32_t output = 1;
    std::int32_t taps = 1;
    std::int32_t step = 1;
    std::int32_t spacing = 1;
    std::int64_t pad = 0;
    /// Distance of inputs, which have zeros between them: position p holds input p / stretch if
    /// that is an integer. Only with step and spacing 1.
    std::int32_t stretch = 1;
};

/// Treatment of an axis by a command. kWindow loads all inputs from first to last and leaves step
/// and spacing to the command. kSingleTap handles one tap at a time and loads only the inputs of
/// that tap, for steps and spacings beyond a command's limits.
enum class AxisMode : std::uint8_t { kWindow, kSingleTap };

/// Inputs that a range of outputs and taps needs on an axis. There are `before` zeros, then the
/// inputs first, first + load_step, ... (`count` of them, `stretch` positions apart), then `after`
/// zeros.
struct AxisSlice {
    std::int64_t first = 0;
    std::int32_t count = 0;  ///< 0: only zeros
    std::int32_t load_step = 1;
    std::int32_t before = 0;
    std::int32_t after = 0;
    std::int32_t stretch = 1;
    std::int32_t span() const {
        return before + (count == 0 ? 0 : (count - 1) * stretch + 1) + after;
    }
};
AxisSlice slice_of(const WindowAxis& axis, AxisMode mode, const Range& outputs, const Range& taps);

/// Number of positions from the first to the last input of `outputs` windows of `taps` taps.
std::int64_t span_of(const WindowAxis& axis, AxisMode mode, std::int32_t outputs,
                     std::int32_t taps);

/// Inputs that fit into `span` positions, limited by the axis.
std::int64_t inputs_within(const WindowAxis& axis, std::int64_t span);

/// Most zeros that any slice has on one side.
std::int64_t most_zeros(const WindowAxis& axis, AxisMode mode);

}  // namespace okksim::kernels::conv
