// SPDX-License-Identifier: Apache-2.0
#include "isa/layout.h"

namespace okksim::isa {
namespace {

std::int32_t narrow(std::int64_t value) { return static_cast<std::int32_t>(value); }

Dim4 channel_first_stride(std::int32_t start_lane, const Dim4& shape, std::int64_t channel_stride,
                          std::int32_t lanes) {
    const std::int64_t slots = channels_per_lane(start_lane, shape.c, lanes);
    return {narrow(channel_stride * slots), narrow(channel_stride), shape.w, 1};
}

}  // namespace

Dim4 aligned_stride(std::int32_t start_lane, const Dim4& shape, int element_bits,
                    std::int32_t lanes) {
    const std::int64_t unit = kAlignmentBytes * 8 / element_bits;
    const std::int64_t plane = std::int64_t{shape.h} * shape.w;
    return channel_first_stride(start_lane, shape, align_up(plane, unit), lanes);
}

Dim4 compact_stride(std::int32_t start_lane, const Dim4& shape, std::int32_t lanes) {
    return channel_first_stride(start_lane, shape, std::int64_t{shape.h} * shape.w, lanes);
}

Dim4 continuous_stride(const Dim4& shape) {
    const std::int64_t plane = std::int64_t{shape.h} * shape.w;
    return {narrow(plane * shape.c), narrow(plane), shape.w, 1};
}

Dim4 matrix_shape(std::int32_t rows, std::int32_t cols, std::int32_t cols_per_channel) {
    return {rows, narrow(div_up(cols, cols_per_channel)), 1, cols_per_channel};
}

Dim4 weight_2ic_shape(std::int32_t input_channels, std::int32_t output_channels,
                      std::int32_t kernel_h, std::int32_t kernel_w) {
    return {narrow(div_up(input_channels, 2)), output_channels, kernel_h, kernel_w};
}

Dim4 packed_shape(const Dim4& shape, int bits) {
    return {narrow(div_up(shape.n, packed_elements(bits))), shape.c, shape.h, shape.w};
}

}  // namespace okksim::isa
