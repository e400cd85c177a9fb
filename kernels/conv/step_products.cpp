// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/step_products.h"

#include <algorithm>
#include <array>

#include "firmware/okk_features.h"
#include "kernels/conv/operand.h"
#include "kernels/conv/step_shapes.h"
#include "kernels/prim/raw.h"
#include "kernels/transfer/half_element.h"

namespace okksim::kernels::conv {
namespace {

using prim::LocalTensor;

local_addr_t limb(local_addr_t words, const OperandBuffers& buffers, int index, int limbs) {
    return words + buffers.plane_bytes / static_cast<std::uint32_t>(limbs) *
                       static_cast<std::uint32_t>(index);
}

/// The zero point. An unknown one counts as 1: all values but 0 need the same number of commands.
std::int64_t subtrahend(const ZeroPoint& zero) { return zero.value.value_or(1); }

int command_step(const WindowAxis& axis, AxisMode mode) {
    return mode == AxisMode::kSingleTap ? 1 : axis.step;
}

int command_spacing(const WindowAxis& axis, const Range& taps) {
    return taps.size() == 1 ? 1 : axis.spacing;
}

}  // namespace

void StepProducts::widen_weights(const Step& step, const Place& place) const {
    const Weights& weights = problem_.weights;
    const int images = weights.of_each_image() ? step.images.size() : 1;
    const dim4 shape{images, step.channels.size(), 1, weight_row(problem_, tiling_, step)};
    std::array<LocalTensor, kMostLimbs> targets;
    const int limbs = limbs_of(weights.stored_type());
    for (int i = 0; i < limbs; ++i) {
        LocalTensor& target = targets[static_cast<std::size_t>(i)];
        target = {limb(place.words, tiling_.weights, i, limbs), shape, std::nullopt};
        const bool compact = problem_.kind == ProblemKind::kDepthwise;
        if (compact) target.stride = dim4{0, shape.w, 0, 1};
    }
    widen(std::span(targets).first(static_cast<std::size_t>(limbs)),
          {place.packed, weights.stored_type(), tiling_.weights.spread},
          subtrahend(problem_.weight_zero), scratch_);
}

void StepProducts::widen_input(const Step& step, const Place& place) const {
    const dim4 shape = input_shape(step);
    const dim4 window = window_shape(step, tiling_);
    std::array<LocalTensor, kMostLimbs> targets;
    const int limbs = limbs_of(problem_.input.type);
    for (int i = 0; i < limbs; ++i) {
        LocalTensor& target = targets[static_cast<std::size_t>(i)];
        target = {limb(place.words, tiling_.input, i, limbs), shape, std::nullopt};
        if (!tiling_.zeros_in_tile) continue;
        prim::raw::fill({target.address, window, std::nullopt}, 0u);
        const auto stride = aligned_strides(window, 4, lanes_);
        target.address +=
            static_cast<local_addr_t>(4 * (step.slice_y.before * window.w + step.slice_x.before));
        target.stride = dim4{static_cast<int>(stride[0]), static_cast<int>(stride[1]),
                             window.w * step.slice_y.stretch, step.slice_x.stretch};
    }
    widen(std::span(targets).first(static_cast<std::size_t>(limbs)),
          {place.packed, problem_.input.type, tiling_.input.spread},
          subtrahend(problem_.input_zero), scratch_);
}

void StepProducts::add(const Step& step, local_addr_t input, local_addr_t weights,
                       Accumulator& sums, const LocalTensor& to, const LocalTensor& partial) const {
    const int input_limbs = limbs_of(problem_.input.type);
    const int weight_limbs = limbs_of(problem_.weights.stored_type());
    for (int i = 0; i < input_limbs; ++i) {
        for (int k = 0; k < weight_limbs; ++k) {
            const local_addr_t a = limb(input, tiling_.input, i, input_limbs);
            const local_addr_t b = limb(weights, tiling_.weights, k, weight_limbs);
            if (problem_.kind == ProblemKind::kFull) {
                add_channels(step, a, b, sums, to);
            } else {
                const std::int64_t taps = std::int64_t{step.taps_y.size()} * step.taps_x.size();
                sums.add(taps, [&](bool more, std::optional<local_addr_t> bias) {
                    convolve_depthwise(step, a, b, more ? partial : to, bias);
                    if (more) prim::raw::add(to, to, partial);
                });
            }
            if (input_limbs * weight_limbs > 1) sums.end_pass();
        }
    }
}

void StepProducts::add_channels(const Step& step, local_addr_t input, local_addr_t weights,
                                Accumulator& sums, const LocalTensor& to) const {
    const std::int64_t taps = std::int64_t{step.taps_y.size()} * step.taps_x.size();
    const std::int32_t all = step.inputs.size();
    // Splits channels into ranges that stay exact. Pairs are not split.
    const std::int32_t most = sums.exact_channels(taps, all);
    for (std::int32_t begin = 0; begin < all; begin += most) {
        const Range channels{begin, std::min(begin + most, all)};
        sums.add(channels.size() * taps, [&](bool more, std::optional<local_addr_t> bias) {
            if (tiling_.halves) {
                convolve_halves(step, input, weights, to, more, bias);
            } else {
                convolve(step, channels, input, weights, to, more, bias);
            }
        });
    }
}

Padding StepProducts::padding(const Step& step) const {
    if (tiling_.zeros_in_tile) return {0, 0, 0, 0};
    return {step.slice_y.before, step.slice_y.after, step.slice_x.before, step.slice_x.after};
}

dim2 StepProducts::steps() const {
    return {command_step(problem_.y, tiling_.mode_y), command_step(problem_.x, tiling_.mode_x)};
}

dim2 StepProducts::spacings(const Step& step) const {
    return {command_spacing(problem_.y, step.taps_y), command_spacing(problem_.x, step.taps_x)};
}

void StepProducts::convolve(const Step& step, const Range& channels, local_addr_t input,
                            local_addr_t weights, const LocalTensor& to, bool add,
                            std::optional<local_addr_t> bias) const {
    dim4 shape = window_shape(step, tiling_);
    const auto stride = aligned_strides(shape, 4, lanes_);
    shape.c = channels.size() + tiling_.zero_channels;
    const auto first = static_cast<local_addr_t>(channels.begin);
    const auto lanes = static_cast<local_addr_t>(lanes_.count);
    const local_addr_t from = input + first % lanes * okk_local_mem_size_per_npu() +
                              first / lanes * static_cast<local_addr_t>(stride[1] * 4);
    const dim4 input_stride{static_cast<int>(stride[0]), static_cast<int>(stride[1]), shape.w, 1};
    const WeightPlaces places = weight_places(step, 4);
    const Padding zeros = padding(step);
    const dim2 by = steps();
    const dim2 spacing = spacings(step);
    const bool each_image = problem_.weights.of_each_image();
    const int images = each_image ? shape.n : 1;
    if (each_image) shape.n = 1;
    const auto output_image =
        static_cast<local_addr_t>(aligned_strides(to.shape, 4, lanes_)[0] * 4);
    for (local_addr_t n = 0; n < static_cast<local_addr_t>(images); ++n) {
        okk_bdc_conv2d(to.address + n * output_image,
                       from + n * static_cast<local_addr_t>(stride[0] * 4),
                       weights + n * places.image_bytes + first * 4, bias.value_or(0), &shape,
                       step.channels.size(), step.taps_y.size(), step.taps_x.size(), &input_stride,
                       &places.stride, bias.has_value(), add, &zeros, &by, &spacing);
    }
}

StepProducts::WeightPlaces StepProducts::weight_places(const Step& step, int element_bytes) const {
    constexpr int kUnitBytes = 8;
    // Weights are stored tap by tap with their channels side by side, so units are adjacent.
    const int units = tap_weights(problem_, tiling_, step) * element_bytes / kUnitBytes;
    const std::int64_t row =
        lanes_.whole_line_bytes(std::int64_t{weight_row(problem_, tiling_, step)} * element_bytes);
    return {{1, isa::narrow(row / kUnitBytes), units * step.taps_x.size(), units},
            static_cast<local_addr_t>(row * lanes_.slots(step.channels.size()))};
}

void StepProducts::convolve_halves(const Step& step, local_addr_t input, local_addr_t weights,
                                   const LocalTensor& to, bool add,
                                   std::optional<local_addr_t> bias) const {
    dim4 shape = window_shape(step, tiling_);
    const int bytes = stored_bytes(problem_.input.type);
    const auto input_image =
        static_cast<local_addr_t>(aligned_strides(shape, bytes, lanes_)[0] * bytes);
    const auto output_image =
        static_cast<local_addr_t>(aligned_strides(to.shape, 4, lanes_)[0] * 4);
    shape.c += tiling_.zero_channels;
    const WeightPlaces places = weight_places(step, bytes);
    const Padding zeros = padding(step);
    const dim2 by = steps();
    const dim2 spacing = spacings(step);
    const bool each_image = problem_.weights.of_each_image();
    const auto images = static_cast<local_addr_t>(each_image ? shape.n : 1);
    if (each_image) shape.n = 1;
    for (local_addr_t n = 0; n < images; ++n) {
        okk_bdc_half_conv2d(to.address + n * output_image, input + n * input_image,
                            weights + n * places.image_bytes, bias.value_or(0), &shape,
                            step.channels.size(), step.taps_y.size(), step.taps_x.size(),
                            &places.stride, bias.has_value(), add, &zeros, &by, &spacing, OKK_FP32,
                            half_element(problem_.input.type));
    }
}

void StepProducts::convolve_depthwise(const Step& step, local_addr_t input, local_addr_t weights,
                                      const LocalTensor& to,
                                      std::optional<local_addr_t> bias) const {
    const dim4 shape = window_shape(step, tiling_);
    const Padding zeros = padding(step);
    const dim2 by = steps();
    const dim2 spacing = spacings(step);
    if (tiling_.halves) {
        okk_bdc_half_depthwise2d(to.address, input, weights, bias.value_or(0), &shape,
                                 step.taps_y.size(), step.taps_x.size(), bias.has_value(), &zeros,
                                 &by, &spacing, OKK_FP32, half_element(problem_.input.type));
        return;
    }
    okk_bdc_depthwise2d(to.address, input, weights, bias.value_or(0), &shape, step.taps_y.size(),
                        step.taps_x.size(), bias.has_value(), &zeros, &by, &spacing);
}

}  // namespace okksim::kernels::conv
