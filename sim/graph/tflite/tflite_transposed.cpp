// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions.
#include <algorithm>
#include <array>
#include <cstring>

#include "sim/graph/tflite/tflite_lowering.h"
#include "sim/graph/tflite/tflite_windows.h"

namespace okksim::sim::graph::tflite {

namespace {

/// One direction of a transposed convolution, and the elements added after its result.
struct TransposedWindow {
    compose::WindowAxis axis;
    std::int64_t added;
};
using TransposedWindows = std::vector<TransposedWindow>;

/// The padding is that of the forward convolution of the `output`.
TransposedWindow transposed_window(const Call& call, std::int64_t input, std::int64_t kernel,
                                   std::int64_t stride, std::int64_t output,
                                   wire::Padding padding) {
    compose::WindowAxis axis =
        window(call, std::max<std::int64_t>(output, kernel), kernel, stride, 1, padding);
    if (padding == wire::Padding::SAME) {
        axis = compose::same_padded(axis, output, compose::OddPadding::kAfter);
    }
    const std::int64_t whole = (input - 1) * stride + kernel;
    const std::int64_t end = output + axis.before - whole;
    axis.after = std::max<std::int64_t>(-end, 0);
    if (axis.before + axis.after >= whole) {
        call.illegal("output shape", std::to_string(output), "the padding leaves a result");
    }
    return {axis, std::max<std::int64_t>(end, 0)};
}

TensorIndex transposed(OperatorBuilder& ops, TensorIndex maps, TensorIndex weights,
                       std::optional<TensorIndex> bias, const TransposedWindows& at,
                       compose::ConvolutionOptions with) {
    compose::Windows windows;
    for (const TransposedWindow& each : at) {
        windows.push_back(each.axis);
        with.output_padding.push_back(each.added);
    }
    return compose::transposed_convolution(ops, maps, weights, bias, windows, with);
}

}  // namespace

void Lowering::transpose_conv(const Call& call) {
    const auto& options = call.needed_options<wire::TransposeConvOptions>();
    const std::vector<std::int64_t> shape = call.known_sizes(0, "an output shape");
    Value& weights = call.input(1);
    Value& x = call.input(2);
    call.require_rank(weights, 4);
    call.require_rank(x, 4);
    if (shape.size() != 4 || weights.shape[3] != x.shape[3] || shape[0] != x.shape[0] ||
        shape[3] != weights.shape[0]) {
        call.illegal("output shape", shape_text(shape),
                     "it is [N,h,w,O], and the weights are [O,h,w,I], here " +
                         shape_text(weights.shape) + " for the input " + shape_text(x.shape));
    }
    const TransposedWindows at{transposed_window(call, x.shape[1], weights.shape[1],
                                                 options.stride_h(), shape[1], options.padding()),
                               transposed_window(call, x.shape[2], weights.shape[2],
                                                 options.stride_w(), shape[2], options.padding())};
    finish_product(
        call, {x, weights, call.optional(3), 0, weights.shape[0], options.activation()},
        [](TensorIndex w) { return w; },
        [&](TensorIndex maps, TensorIndex w, std::optional<TensorIndex> bias,
            compose::ConvolutionOptions with) {
            return transposed(ops_, maps, w, bias, at, with);
        });
}

void Lowering::conv_3d_transpose(const Call& call) {
    const auto& options = call.needed_options<wire::Conv3DOptions>();
    const std::vector<std::int64_t> shape = call.known_sizes(0, "an output shape");
    Value& weights = call.input(1);
    Value& x = call.input(2);
    call.require_rank(weights, 5);
    call.require_rank(x, 5);
    const Shape s = weights.shape;  // [D,H,W,O,I]
    if (shape.size() != 5 || s[4] != x.shape[4] || shape[0] != x.shape[0] || shape[4] != s[3]) {
        call.illegal("output shape", shape_text(shape),
                     "it is [N,d,h,w,O], and the weights are [d,h,w,O,I], here " + shape_text(s) +
                         " for the input " + shape_text(x.shape));
    }
    if (options.dilation_d() != 1 || options.dilation_h() != 1 || options.dilation_w() != 1) {
        throw UnsupportedPart("a dilation of a transposed convolution");
    }
    const std::int64_t strides[] = {options.stride_d(), options.stride_h(), options.stride_w()};
    TransposedWindows at;
    for (std::size_t i = 0; i < 3; ++i) {
        at.push_back(transposed_window(call, x.shape[i + 1], s[i], strides[i], shape[i + 1],
                                       options.padding()));
    }
    finish_product(
        call, {x, weights, call.optional(3), 3, s[3], options.activation()},
        [&](TensorIndex w) {
            return compose::arranged_weights(ops_, w,
                                             {s, {3, 0, 1, 2, 4}, {s[3], s[0], s[1], s[2], s[4]}});
        },
        [&](TensorIndex maps, TensorIndex w, std::optional<TensorIndex> bias,
            const compose::ConvolutionOptions& with) {
            return transposed(ops_, maps, w, bias, at, with);
        });
}

// The options are numbers of 32 bits: the padding (1 is SAME, 2 is VALID) and both strides.
void Lowering::mediapipe_transpose_conv(const Call& call) {
    constexpr std::size_t kNumbers = 3;
    const auto* bytes = call.op.custom_options();
    std::array<std::int32_t, kNumbers> options{};  // padding, stride_w, stride_h
    if (bytes == nullptr || bytes->size() < sizeof(options)) {
        call.illegal("custom_options", "missing", "they hold the padding and the strides");
    }
    std::memcpy(options.data(), bytes->data(), sizeof(options));
    if (options[0] != 1 && options[0] != 2) {
        call.illegal("padding", std::to_string(options[0]), "it is 1 (SAME) or 2 (VALID)");
    }
    const auto padding = options[0] == 1 ? wire::Padding::SAME : wire::Padding::VALID;
    Value& x = call.input(0);
    Value& weights = call.input(1);
    call.require_rank(x, 4);
    call.require_rank(weights, 4);
    if (weights.shape[3] != x.shape[3]) {
        call.illegal("weights " + weights.name, shape_text(weights.shape),
                     "they are [O,h,w,I] for the input " + shape_text(x.shape));
    }
    TransposedWindows at;
    for (const std::size_t i : {1U, 2U}) {
        const std::int64_t stride = options[3 - i], kernel = weights.shape[i];
        const std::int64_t added =
            padding == wire::Padding::VALID ? std::max<std::int64_t>(kernel - stride, 0) : 0;
        at.push_back(transposed_window(call, x.shape[i], kernel, stride,
                                       x.shape[i] * stride + added, padding));
    }
    finish_product(
        call, {x, weights, call.optional(2), 0, weights.shape[0], Activation::NONE},
        [](TensorIndex w) { return w; },
        [&](TensorIndex maps, TensorIndex w, std::optional<TensorIndex> bias,
            const compose::ConvolutionOptions& with) {
            return transposed(ops_, maps, w, bias, at, with);
        });
}

}  // namespace okksim::sim::graph::tflite
