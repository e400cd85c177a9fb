// SPDX-License-Identifier: Apache-2.0
#include "isa/layout.h"

namespace okksim::isa {
namespace {

Dim4 channel_first_stride(std::int32_t start_lane, const Dim4& shape, std::int64_t channel_stride,
                          std::int32_t lanes) {
    const std::int64_t slots = channels_per_lane(start_lane, shape.c, lanes);
    // Wraps, also in 64 bits, for tensors that check() refuses for their size.
    const auto batch =
        static_cast<std::uint64_t>(channel_stride) * static_cast<std::uint64_t>(slots);
    return {narrow(static_cast<std::int64_t>(batch)), narrow(channel_stride), shape.w, 1};
}

}  // namespace

Dim4 aligned_stride(std::int32_t start_lane, const Dim4& shape, int element_bits,
                    std::int32_t lanes, std::int32_t line_bytes) {
    const std::int64_t plane =
        align_up(std::int64_t{shape.h} * shape.w, line_elements(line_bytes, element_bits));
    return channel_first_stride(start_lane, shape, plane, lanes);
}

Dim4 aligned_stride(LocalAddr addr, const Dim4& shape, int element_bits,
                    const MachineShape& machine) {
    return aligned_stride(machine.lane_of(addr), shape, element_bits, machine.lanes,
                          machine.line_bytes());
}

Dim4 compact_stride(std::int32_t start_lane, const Dim4& shape, std::int32_t lanes) {
    return channel_first_stride(start_lane, shape, std::int64_t{shape.h} * shape.w, lanes);
}

Dim4 compact_stride(LocalAddr addr, const Dim4& shape, const MachineShape& machine) {
    return compact_stride(machine.lane_of(addr), shape, machine.lanes);
}

Dim4 continuous_stride(const Dim4& shape) {
    const std::int64_t plane = std::int64_t{shape.h} * shape.w;
    return {narrow(plane * shape.c), narrow(plane), shape.w, 1};
}

Dim4 matrix_shape(std::int32_t rows, std::int32_t cols, std::int32_t cols_per_channel) {
    return {rows, narrow(div_up(cols, cols_per_channel)), 1, cols_per_channel};
}

WindowGeometry window_geometry(const Dim4& input, std::int32_t output_c, std::int32_t kernel_h,
                               std::int32_t kernel_w, const Padding& padding, const Dim2& stride,
                               const Dim2& dilation) {
    const std::int64_t pad_h = std::int64_t{padding.top} + padding.bottom;
    const std::int64_t pad_w = std::int64_t{padding.left} + padding.right;
    WindowGeometry geometry;
    geometry.padded_h = input.h + pad_h;
    geometry.padded_w = input.w + pad_w;
    geometry.output = {input.n, output_c,
                       narrow(window_output(input.h, pad_h, kernel_h, dilation.h, stride.h)),
                       narrow(window_output(input.w, pad_w, kernel_w, dilation.w, stride.w))};
    return geometry;
}

}  // namespace okksim::isa
