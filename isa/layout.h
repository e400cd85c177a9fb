// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/types.h"

namespace okksim::isa {

constexpr std::int64_t div_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::int64_t align_up(std::int64_t a, std::int64_t b) { return div_up(a, b) * b; }

/// Elements of `element_bits` (8, 16 or 32) on a line of local memory.
constexpr std::int64_t line_elements(std::int32_t line_bytes, int element_bits) {
    return std::int64_t{line_bytes} * 8 / element_bits;
}

/// Channel slots that a tensor of `channels` channels starting in `start_lane` takes in every lane
/// (seed okk_channle_num_per_npu).
constexpr std::int32_t channels_per_lane(std::int32_t start_lane, std::int32_t channels,
                                         std::int32_t lanes) {
    return static_cast<std::int32_t>(div_up(std::int64_t{start_lane} + channels, lanes));
}

/// Returns the strides of the aligned layout for elements of `element_bits` (8, 16 or 32). Every
/// channel starts on a line of `line_bytes`, a vector of the machine.
Dim4 aligned_stride(std::int32_t start_lane, const Dim4& shape, int element_bits,
                    std::int32_t lanes, std::int32_t line_bytes);
/// Returns the aligned strides of a tensor that starts at `addr` of `machine`.
Dim4 aligned_stride(LocalAddr addr, const Dim4& shape, int element_bits,
                    const MachineShape& machine);
/// Strides of the compact layout (any element width).
Dim4 compact_stride(std::int32_t start_lane, const Dim4& shape, std::int32_t lanes);
Dim4 compact_stride(LocalAddr addr, const Dim4& shape, const MachineShape& machine);
/// Strides of the continuous layout of system memory.
Dim4 continuous_stride(const Dim4& shape);

/// Returns the shape of the local tensor that holds a rows x cols matrix, `cols_per_channel`
/// columns per channel. The last channel may have unused columns.
Dim4 matrix_shape(std::int32_t rows, std::int32_t cols, std::int32_t cols_per_channel);

/// Shape, in 64-bit pairs, of the 2IC weight tensor (IC, OC, KH, KW): [ceil(IC/2), OC, KH, KW].
constexpr Dim4 weight_2ic_shape(std::int32_t input_channels, std::int32_t output_channels,
                                std::int32_t kernel_h, std::int32_t kernel_w) {
    return {narrow(div_up(input_channels, 2)), output_channels, kernel_h, kernel_w};
}

/// Shape, in units of four, of weights of 8 or 16 bits in 4IC mode: [ceil(IC/4), OC, KH, KW].
constexpr Dim4 weight_4ic_shape(std::int32_t input_channels, std::int32_t output_channels,
                                std::int32_t kernel_h, std::int32_t kernel_w) {
    return {narrow(div_up(input_channels, kWordBytes)), output_channels, kernel_h, kernel_w};
}

/// Batch elements per 32-bit word of a packed fixed-point tensor: 4 for 8-bit, 2 for 16-bit.
constexpr std::int32_t packed_elements(int bits) { return kWordBits / bits; }
/// Shape, in 32-bit words, of a packed (4N / 2N) tensor whose logical shape is `shape`.
constexpr Dim4 packed_shape(const Dim4& shape, int bits) {
    return {narrow(div_up(shape.n, packed_elements(bits))), shape.c, shape.h, shape.w};
}

/// Returns the output extent of a window that slides over `input` elements plus padding; seed:
/// floor division. Returns 0 for a window larger than the padded input and for strides below 1.
constexpr std::int64_t window_output(std::int64_t input, std::int64_t pad, std::int64_t kernel,
                                     std::int64_t dilation, std::int64_t stride) {
    const std::int64_t span = input + pad - ((kernel - 1) * dilation + 1);
    return span < 0 || stride < 1 ? 0 : span / stride + 1;
}

/// Output (n, c, h, w) of a convolution's or pool's windows; extents are 0 when the window is
/// larger than the padded input.
struct WindowGeometry {
    Dim4 output;
    std::int64_t padded_h = 0;
    std::int64_t padded_w = 0;
};
WindowGeometry window_geometry(const Dim4& input, std::int32_t output_c, std::int32_t kernel_h,
                               std::int32_t kernel_w, const Padding& padding, const Dim2& stride,
                               const Dim2& dilation);

}  // namespace okksim::isa
