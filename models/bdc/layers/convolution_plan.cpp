// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/layers/convolution_plan.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "isa/layout.h"
#include "models/bdc/elements/canonical_nan.h"
#include "models/bdc/layers/ordered_gemm.h"
#include "models/bdc/layers/weight_pairs.h"

namespace okksim::models::bdc {
namespace {

// Small images are packed together until their planes fill the second-level cache.
constexpr std::int64_t kGroupFloats = 256 * 1024;
// Weight pairs whose taps are copied together, so that their source stays in the first-level cache.
constexpr std::int64_t kPackedPairs = 16;

void plan_operands(ConvolutionPlan& plan, const isa::Convolution& o, LocalMemory& memory) {
    const isa::Dim4 output_shape{o.input_shape.n, o.output_c,
                                 static_cast<std::int32_t>(plan.output_h),
                                 static_cast<std::int32_t>(plan.output_w)};
    const auto output_lane =
        static_cast<std::int32_t>(o.output_addr.value / memory.bytes_per_lane());
    plan.output = local_operand(memory, o.output_addr,
                                isa::aligned_stride(output_lane, output_shape, isa::kWordBits,
                                                    memory.lanes(), memory.line_bytes()));
    plan.input = local_operand(memory, o.input_addr, o.input_stride);
    plan.weight = local_operand(memory, o.weight_addr, o.kernel_stride, 2);
    const isa::Dim4 bias_shape{1, o.output_c, 1, 1};
    plan.bias = local_operand(memory, o.bias_addr,
                              isa::compact_stride(output_lane, bias_shape, memory.lanes()));
    plan.input_span = touched(plan.input, o.input_shape);
    plan.weight_span = touched(
        plan.weight, isa::weight_2ic_shape(o.input_shape.c, o.output_c, o.kernel_h, o.kernel_w), 2);
}

// Returns the distance between planes in floats. Panels read the same line of one plane after the
// other. An odd number of lines between planes avoids conflicts in cache sets. Small planes are
// adjacent.
std::int64_t plane_pitch(std::int64_t floats) {
    constexpr std::int64_t kLine = 16, kSmall = 4 * kLine;
    return floats < kSmall ? floats : (isa::div_up(floats, kLine) | 1) * kLine;
}

void plan_planes(ConvolutionPlan& plan, const isa::Convolution& o) {
    const std::int64_t rows =
        (plan.output_h - 1) * o.stride.h + std::int64_t{o.kernel_h - 1} * o.dilation.h + 1;
    plan.phase_floats = plan.output_w + std::int64_t{o.kernel_w - 1} * o.dilation.w / o.stride.w;
    plan.row_floats = plan.phase_floats * o.stride.w;
    plan.plane_rows = rows;
    plan.plane_floats = plane_pitch(rows * plan.row_floats);
    plan.image_floats = plan.plane_floats * plan.input_c;
    plan.group_images = std::clamp<std::int64_t>(
        kGroupFloats / std::max<std::int64_t>(plan.image_floats, 1), 1, plan.images);
}

bool tap_uses(std::int32_t phase, std::int32_t kernel, std::int32_t dilation, std::int32_t stride) {
    for (std::int32_t k = 0; k < std::min(kernel, stride); ++k) {
        if (std::int64_t{k} * dilation % stride == phase) return true;
    }
    return false;
}

// Copies columns phase, phase + stride, ... of one padded row.
void pack_phase(const ConvolutionPlan& plan, const float* source, std::int32_t phase, float* to) {
    const isa::Convolution& o = plan.operands;
    const std::int64_t step = o.stride.w;
    const std::int64_t first = std::clamp<std::int64_t>(
        isa::div_up(std::max(o.padding.left - phase, 0), step), 0, plan.phase_floats);
    const std::int64_t limit = std::int64_t{o.padding.left} + o.input_shape.w - phase;
    const std::int64_t last = std::clamp<std::int64_t>(limit <= 0 ? 0 : isa::div_up(limit, step),
                                                       first, plan.phase_floats);
    std::fill(to, to + first, 0.0f);
    std::fill(to + last, to + plan.phase_floats, 0.0f);
    const std::int64_t source_step = plan.input.w_stride * step;
    const float* from = source + (phase + first * step - o.padding.left) * plan.input.w_stride;
    if (source_step == 1) {
        std::copy(from, from + (last - first), to + first);
        return;
    }
    for (std::int64_t i = first; i < last; ++i, from += source_step) to[i] = *from;
}

// Copies `count` channel pairs, `step` floats apart, to contiguous memory.
void copy_pairs(const float* from, std::int64_t step, std::int64_t count, float* to) {
    if (step == 2) {
        std::copy_n(from, 2 * count, to);
        return;
    }
    for (std::int64_t pair = 0; pair < count; ++pair, from += step, to += 2) {
        std::memcpy(to, from, 2 * sizeof(float));
    }
}

// Packs the weights of one output channel; prefetches those of the channel `next`.
void pack_channel(const ConvolutionPlan& plan, std::int64_t channel, std::int64_t next,
                  float* packed) {
    const isa::Convolution& o = plan.operands;
    const std::int64_t pairs = plan.padded_c / 2;
    const std::int64_t step = plan.weight.n_stride;
    // A single tap is copied as one run.
    const bool is_dense = plan.taps > 1 && plan.weight.w_stride == 2 &&
                          (o.kernel_h == 1 || plan.weight.h_stride == 2 * o.kernel_w);
    const float* source = plan.weight.channel(0, channel);
    if (is_dense) {
        copy_by_taps({source, step, pairs, plan.taps, plan.weight.channel(0, next),
                      (next - channel) * plan.weight_pitch},
                     packed, plan.padded_c);
    }
    for (std::int64_t pair = is_dense ? pairs : 0; pair < pairs; pair += kPackedPairs) {
        const std::int64_t count = std::min(kPackedPairs, pairs - pair);
        float* to = packed + 2 * pair;
        for (std::int32_t h = 0; h < o.kernel_h; ++h) {
            const float* from = source + pair * step + h * plan.weight.h_stride;
            for (std::int32_t w = 0; w < o.kernel_w; ++w) {
                copy_pairs(from, step, count, to);
                from += plan.weight.w_stride;
                to += plan.padded_c;
            }
        }
    }
    if (plan.input_c != plan.padded_c) {
        for (std::int64_t tap = 1; tap <= plan.taps; ++tap) {
            packed[tap * plan.padded_c - 1] = -0.0f;
        }
    }
    std::fill(packed + plan.taps * plan.padded_c, packed + plan.depth, -0.0f);
}

void pack_plane(const ConvolutionPlan& plan, const float* source, float* to) {
    const isa::Convolution& o = plan.operands;
    std::array<bool, 16> column_phase_used{};
    for (std::int32_t phase = 0; phase < o.stride.w; ++phase) {
        column_phase_used[static_cast<std::size_t>(phase)] =
            tap_uses(phase, o.kernel_w, o.dilation.w, o.stride.w);
    }
    for (std::int64_t row = 0; row < plan.plane_rows; ++row, to += plan.row_floats) {
        if (!tap_uses(static_cast<std::int32_t>(row % o.stride.h), o.kernel_h, o.dilation.h,
                      o.stride.h)) {
            continue;
        }
        const std::int64_t source_row = row - o.padding.top;
        if (source_row < 0 || source_row >= o.input_shape.h) {
            std::fill(to, to + plan.row_floats, 0.0f);
            continue;
        }
        const float* source_begin = source + source_row * plan.input.h_stride;
        for (std::int32_t phase = 0; phase < o.stride.w; ++phase) {
            if (!column_phase_used[static_cast<std::size_t>(phase)]) continue;
            pack_phase(plan, source_begin, phase, to + phase * plan.phase_floats);
        }
    }
}

}  // namespace

std::int64_t ConvolutionPlan::tap_offset(std::int64_t tap) const {
    const std::int64_t row = tap / operands.kernel_w * operands.dilation.h;
    const std::int64_t column = tap % operands.kernel_w * operands.dilation.w;
    return row * row_floats + column % operands.stride.w * phase_floats +
           column / operands.stride.w;
}

double ConvolutionPlan::scratch_floats() const {
    return static_cast<double>(output_c) * static_cast<double>(weight_pitch) +
           static_cast<double>(group_images) * static_cast<double>(image_floats) +
           static_cast<double>(depth) * kPanelUnit;
}

ConvolutionPlan plan_convolution(const isa::Convolution& o, LocalMemory& memory) {
    ConvolutionPlan plan;
    plan.operands = o;
    plan.images = o.input_shape.n;
    plan.input_c = o.input_shape.c;
    plan.padded_c = isa::align_up(o.input_shape.c, 2);
    plan.output_c = o.output_c;
    plan.output_h = isa::window_output(o.input_shape.h, o.padding.top + o.padding.bottom,
                                       o.kernel_h, o.dilation.h, o.stride.h);
    plan.output_w = isa::window_output(o.input_shape.w, o.padding.left + o.padding.right,
                                       o.kernel_w, o.dilation.w, o.stride.w);
    if (plan.pixels() <= 0) return plan;
    plan.taps = std::int64_t{o.kernel_h} * o.kernel_w;
    plan.depth = padded_depth(plan.taps * plan.padded_c, kConvolutionAccumulators);
    plan.weight_pitch = row_pitch(plan.depth);
    plan_operands(plan, o, memory);
    plan_planes(plan, o);
    return plan;
}

void pack_weights(const ConvolutionPlan& plan, float* packed, std::int64_t begin,
                  std::int64_t end) {
    for (std::int64_t channel = begin; channel < end; ++channel, packed += plan.weight_pitch) {
        pack_channel(plan, channel, std::min(channel + 1, end - 1), packed);
    }
}

void pack_weights_of_lanes(const ConvolutionPlan& plan, float* packed, std::int64_t begin,
                           std::int64_t end) {
    const std::int64_t lanes = plan.weight.lanes;
    for (std::int64_t first = begin; first < end; ++first) {
        for (std::int64_t channel = first; channel < plan.output_c; channel += lanes) {
            const bool is_last = channel + lanes >= plan.output_c;
            const std::int64_t next = is_last ? std::min(first + 1, end - 1) : channel + lanes;
            pack_channel(plan, channel, next, packed + channel * plan.weight_pitch);
        }
    }
}

void pack_input(const ConvolutionPlan& plan, float* packed, std::int64_t first_image,
                std::int64_t begin, std::int64_t end) {
    for (std::int64_t plane = begin; plane < end; ++plane) {
        const float* source =
            plan.input.channel(first_image + plane / plan.input_c, plane % plan.input_c);
        pack_plane(plan, source, packed + plane * plan.plane_floats);
    }
}

namespace {

float direct_pixel(const ConvolutionPlan& plan, std::int64_t image, std::int64_t channel,
                   std::int64_t row, std::int64_t column) {
    const isa::Convolution& o = plan.operands;
    std::array<float, kConvolutionAccumulators> sums{};
    const float* weights = plan.weight.channel(0, channel);
    for (std::int64_t tap = 0; tap < plan.taps; ++tap) {
        const std::int64_t h = tap / o.kernel_w;
        const std::int64_t w = tap % o.kernel_w;
        const std::int64_t y = row * o.stride.h + h * o.dilation.h - o.padding.top;
        const std::int64_t x = column * o.stride.w + w * o.dilation.w - o.padding.left;
        const bool inside = y >= 0 && y < o.input_shape.h && x >= 0 && x < o.input_shape.w;
        const float* weight = weights + h * plan.weight.h_stride + w * plan.weight.w_stride;
        for (std::int64_t c = 0; c < plan.input_c; ++c) {
            const float value =
                inside ? plan.input.channel(image,
                                            c)[y * plan.input.h_stride + x * plan.input.w_stride]
                       : 0.0f;
            const float product = value * weight[c / 2 * plan.weight.n_stride + c % 2];
            float& sum = sums[static_cast<std::size_t>((tap * plan.padded_c + c) %
                                                       kConvolutionAccumulators)];
            sum = sum + product;
        }
    }
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

}  // namespace

void convolve_directly(const ConvolutionPlan& plan, std::int64_t image, std::int64_t begin,
                       std::int64_t end) {
    const isa::Convolution& o = plan.operands;
    for (std::int64_t channel = begin; channel < end; ++channel) {
        float* to = plan.output.channel(image, channel);
        for (std::int64_t pixel = 0; pixel < plan.pixels(); ++pixel) {
            float sum =
                direct_pixel(plan, image, channel, pixel / plan.output_w, pixel % plan.output_w);
            if (o.using_bias != 0) sum = sum + *plan.bias.channel(0, channel);
            if (o.result_add != 0) sum = sum + to[pixel];
            to[pixel] = canonical_nan(sum);
        }
    }
}

}  // namespace okksim::models::bdc
