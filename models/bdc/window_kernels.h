// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::models::bdc {

/// Floats that the kernels may read or write past the end of planes and results.
inline constexpr std::int64_t kWindowSlack = 64;

/// How a plane is spread out for sliding windows: the padded plane is split by row phase (row modulo
/// the vertical stride) and column phase, each phase a small plane of `phase_rows` rows of
/// `row_floats`. In that form output (row, column) at f = row * row_floats + column finds the input
/// of a tap at f plus a constant, whatever stride and dilation are.
struct PlaneShape {
    std::int64_t input_h = 0;
    std::int64_t input_w = 0;
    std::int64_t input_row = 0;  ///< floats between input rows; input columns are contiguous
    std::int64_t pad_top = 0;
    std::int64_t pad_left = 0;
    std::int64_t stride_h = 1;
    std::int64_t stride_w = 1;
    std::int64_t row_floats = 0;
    std::int64_t phase_rows = 0;
    std::int64_t phase_floats = 0;  ///< from one phase to the next, slack included

    std::int64_t plane_floats() const { return stride_h * stride_w * phase_floats; }
};

/// Copies one plane, every element times `factor` (1 flushes denormals and changes nothing else),
/// with `pad_value` around it. `input_end`: no host memory from there on may be read.
void spread_plane(const PlaneShape& shape, const float* input, const float* input_end, float factor,
                  float pad_value, float* to);

/// What is done with the inputs of a window.
enum class WindowOperation : std::uint8_t {
    kWeightedSum,  ///< products with `weights`, two accumulators by tap parity, even + odd
    kSum,          ///< the same without weights
    kMaximum,      ///< from -FLT_MAX, replaced by every larger value: NaN is ignored
};

/// Windows of one plane. NaN results are stored as 0x7FC00000.
struct WindowWork {
    WindowOperation operation = WindowOperation::kSum;
    std::int64_t taps = 0;
    const std::int64_t* tap_offsets = nullptr;
    const float* weights = nullptr;  ///< one per tap, for kWeightedSum
    const float* bias = nullptr;     ///< one value, or none
    std::int64_t output_h = 0;
    std::int64_t output_w = 0;
    std::int64_t row_floats = 0;     ///< as in PlaneShape
};

/// Computes the windows of a spread plane into the contiguous plane `output`. `flat` is scratch of
/// output_h * row_floats + kWindowSlack floats. The caller's floating-point mode flushes denormals.
void slide_windows(const WindowWork& work, const float* plane, float* flat, float* output);

}  // namespace okksim::models::bdc
