// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::models::bdc {

/// Floats that the kernels may read or write past the end of planes and results.
inline constexpr std::int64_t kWindowSlack = 128;
/// Largest horizontal stride that is resolved while windows slide; larger ones are split before.
inline constexpr std::int64_t kMaxColumnStep = 2;

/// Layout of a plane for sliding windows. The padded plane is split by row phase (row modulo the
/// vertical stride) and, for large horizontal strides, by column phase. Each phase is a small plane
/// of `phase_rows` rows. The input of a tap for output (row, column) is then at row * row_floats +
/// column * column_step plus a constant, for every stride and dilation.
struct PlaneShape {
    std::int64_t input_h = 0;
    std::int64_t input_w = 0;  ///< also the distance of input rows
    std::int64_t pad_top = 0;  ///< negative: this number of input rows is omitted
    std::int64_t pad_left = 0;
    std::int64_t row_phases = 1;     ///< the vertical stride
    std::int64_t column_phases = 1;  ///< the horizontal stride, or 1 where column_step does it
    std::int64_t row_floats = 0;
    std::int64_t phase_rows = 0;
    std::int64_t phase_floats = 0;  ///< from one phase to the next, slack included
};

/// Copies one plane, every element times `factor` (1 only flushes denormals), with `pad_value`
/// around it. `input_end`: end of the readable host memory.
void spread_plane(const PlaneShape& shape, const float* input, const float* input_end, float factor,
                  float pad_value, float* to);

/// Operation on the inputs of a window.
enum class WindowOperation : std::uint8_t {
    kWeightedSum,  ///< products with `weights`, two accumulators by tap parity, even + odd
    kSum,          ///< sums of inputs, as kWeightedSum with all weights 1
    kMaximum,      ///< from -FLT_MAX, replaced by every larger value: NaN is ignored
};

/// Windows of one plane. Results are flushed, and NaN is stored as 0x7FC00000.
struct WindowWork {
    WindowOperation operation = WindowOperation::kSum;
    std::int64_t taps = 0;
    const std::int64_t* tap_offsets = nullptr;
    const float* weights = nullptr;  ///< one per tap, for kWeightedSum
    float factor = 1.0f;             ///< of every input, where 3x3 taps are summed
    const float* bias = nullptr;     ///< one value, or nullptr
    std::int64_t output_h = 0;
    std::int64_t output_w = 0;
    std::int64_t column_step = 1;  ///< 1 or 2 floats from one window to the next
    std::int64_t input_row = 0;    ///< floats from one output row's inputs to the next
    std::int64_t next_output = 0;  ///< distance in floats to the plane that is written next
    /// 3x3 taps with stride and dilation 1: neighbouring windows share rows of inputs.
    bool three_by_three = false;
};

/// Inputs of 3x3 windows at their original location, with padding around them.
struct WindowRows {
    const float* input = nullptr;
    std::int64_t pitch = 0;  ///< from row to row
    std::int64_t input_h = 0;
    std::int64_t input_w = 0;
    std::int64_t pad_top = 0;
    std::int64_t pad_left = 0;  ///< at most 1
    float pad_value = 0.0f;
    std::int64_t next_plane = 0;     ///< floats to the one that is read next
    const float* padding = nullptr;  ///< a row of `pad_value`, filled in by slide_padded
};

/// Computes the windows into the contiguous rows at `output`. Up to `output_room` floats from there
/// may be overwritten before their own result is written. `flat` is scratch of output_h * input_row
/// + kWindowSlack floats. The caller's floating-point mode flushes denormals.
void slide_windows(const WindowWork& work, const float* plane, float* flat, float* output,
                   std::int64_t output_room);

/// slide_windows() for work.three_by_three without a padded copy. Reads pad_left floats before the
/// input and kWindowSlack after it. `scratch` has 2 * (input_w + kWindowSlack) + output_w floats.
void slide_padded(const WindowWork& work, const WindowRows& source, float* scratch, float* output,
                  std::int64_t output_room);

}  // namespace okksim::models::bdc
