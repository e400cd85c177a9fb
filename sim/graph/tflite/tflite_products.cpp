// SPDX-License-Identifier: Apache-2.0
// Convolutions.
#include <algorithm>

#include "sim/graph/tflite/tflite_lowering.h"

namespace okksim::sim::graph::tflite {

namespace {

compose::WindowAxis window(const Call& call, std::int64_t input, std::int64_t kernel,
                           std::int64_t stride, std::int64_t dilation, wire::Padding padding) {
    if (stride < 1 || dilation < 1 || kernel < 1) {
        call.illegal("window",
                     "kernel " + std::to_string(kernel) + ", stride " + std::to_string(stride) +
                         ", dilation " + std::to_string(dilation),
                     "kernel, stride and dilation are at least 1");
    }
    if (padding != wire::Padding::SAME && padding != wire::Padding::VALID) {
        call.illegal("padding", std::to_string(static_cast<int>(padding)), "it is SAME or VALID");
    }
    compose::WindowAxis axis{kernel, stride, dilation};
    if (padding == wire::Padding::SAME) {
        axis = compose::same_padded(axis, input, compose::OddPadding::kAfter);
    }
    if (compose::window_count(axis, input) < 1) {
        call.illegal("window", std::to_string(axis.reach()),
                     "the window fits into the input, " + std::to_string(input));
    }
    return axis;
}

}  // namespace

TensorIndex Lowering::weights_of(Value& weights, bool is_real) {
    return is_real ? t_.real(weights) : t_.of(weights);
}

void Lowering::check_product(const Call& call, const Product& product) const {
    if (product.bias != nullptr &&
        element_count(product.bias->shape) != static_cast<std::uint64_t>(product.channels)) {
        call.illegal(
            "bias", shape_text(product.bias->shape),
            "the bias has a value per output channel, " + std::to_string(product.channels));
    }
    const Quantisation& q = product.weights.quantisation;
    if (product.x.is_real()) {
        if (!product.weights.is_real() && !q.exists()) {
            call.illegal("weights", type_name(product.weights.type),
                         "weights of real numbers are real, or have scales");
        }
        if (product.bias != nullptr && !product.bias->is_real()) {
            call.illegal("bias", type_name(product.bias->type), "the bias of real numbers is real");
        }
        return;
    }
    if (!product.x.is_quantised() || !call.output().is_quantised() || !q.exists()) {
        throw UnsupportedPart("products of " + type_name(product.x.type) + " without scales");
    }
    if (q.is_per_channel() && q.dimension != product.dimension) {
        call.illegal("quantized_dimension of the weights", std::to_string(q.dimension),
                     "the scales belong to the output channels, dimension " +
                         std::to_string(product.dimension));
    }
    if (product.weights.device() != DType::kI8) {
        throw UnsupportedPart("weights of " + type_name(product.weights.type), true);
    }
    for (std::size_t i = 0; i < q.zeros.size() && q.is_per_channel(); ++i) {
        if (q.zeros[i] != 0) {
            call.illegal("zero_point of the weights", std::to_string(q.zeros[i]),
                         "weights with a scale per channel have the zero point 0");
        }
    }
}

std::optional<TensorIndex> Lowering::bias_of(const Call& call, const Product& product, DType sums) {
    if (product.bias == nullptr) return std::nullopt;
    Value& bias = *product.bias;
    if (sums == DType::kFp32) return ops_.reshape(t_.real(bias), {product.channels}, "bias");
    if (bias.type != TensorType::INT32 && bias.type != TensorType::INT64) {
        call.illegal("bias", type_name(bias.type), "the bias of integers is INT32 or INT64");
    }
    if (sums == DType::kI32) return t_.shaped(bias, {product.channels}, "bias");
    if (!bias.is_known) throw UnsupportedPart("a bias of INT16 products that depends on data");
    return ops_.block().constant(sums, {product.channels}, known_integers(bias), "bias");
}

// Sums of INT16 with a bias of INT64, or without one, are rounded once, with 16 bits of the scale.
TensorIndex Lowering::quantised_sums(const Call& call, const Product& product, TensorIndex sums) {
    const Value& output = call.output();
    if (ops_.type(sums) == DType::kI48 && product.bias != nullptr &&
        product.bias->type == TensorType::INT32) {
        sums = t_.narrowed(sums);
    }
    std::vector<double> scales;
    for (std::size_t i = 0; i < product.weights.quantisation.scales.size(); ++i) {
        scales.push_back(product.x.scale() * product.weights.quantisation.scale(i) /
                         output.scale());
    }
    return t_.rescaled(sums, scales, output.device(), {0, output.zero()});
}

void Lowering::finish_product(const Call& call, const Product& product, const Arrange& arrange,
                              const Multiply& multiply) {
    check_product(call, product);
    compose::ConvolutionOptions options;
    const bool is_real = product.x.is_real();
    if (!is_real) {
        options.input_zero_point = product.x.zero();
        options.weight_zero_point = product.weights.quantisation.zero();
    }
    const DType type = is_real                             ? DType::kFp32
                       : product.x.device() == DType::kI16 ? DType::kI48
                                                           : DType::kI32;
    const TensorIndex x = is_real ? t_.real(product.x) : t_.of(product.x);
    const TensorIndex weights = arrange(weights_of(product.weights, is_real));
    TensorIndex sums = multiply(x, weights, bias_of(call, product, type), options);
    if (!is_real) sums = quantised_sums(call, product, sums);
    if (!product.result.empty()) sums = ops_.reshape(sums, product.result, "rows");
    give(call, t_.activated(sums, call.output(), product.activation));
}

TensorIndex Lowering::filter(TensorIndex weights, std::int64_t input_channels,
                             std::int64_t groups) {
    if (!compose::is_depthwise(input_channels, groups)) return weights;
    const Shape s = ops_.shape(weights);  // [O, spatial..., 1]
    Shape from{groups, s[0] / groups};
    std::vector<std::int32_t> perms;
    Shape to;
    for (std::size_t i = 1; i + 1 < s.size(); ++i) {
        from.push_back(s[i]);
        to.push_back(s[i]);
        perms.push_back(static_cast<std::int32_t>(i + 1));
    }
    to.insert(to.end(), {groups, s[0] / groups});
    perms.insert(perms.end(), {0, 1});
    return compose::arranged_weights(ops_, weights, {from, perms, to});
}

void Lowering::conv_2d(const Call& call) {
    const auto& options = call.needed_options<wire::Conv2DOptions>();
    Value& x = call.input(0);
    Value& weights = call.input(1);
    call.require_rank(x, 4);
    call.require_rank(weights, 4);
    const std::int64_t channels = x.shape[3], each = weights.shape[3];
    if (each < 1 || channels % each != 0 || weights.shape[0] % (channels / each) != 0) {
        call.illegal(
            "filter " + weights.name,
            std::to_string(each) + " channels for " + std::to_string(channels) + " input channels",
            "the input channels are a multiple of the filter's, and the output channels "
            "of the groups");
    }
    const compose::Windows windows{window(call, x.shape[1], weights.shape[1], options.stride_h(),
                                          options.dilation_h(), options.padding()),
                                   window(call, x.shape[2], weights.shape[2], options.stride_w(),
                                          options.dilation_w(), options.padding())};
    const std::int64_t groups = channels / each;
    finish_product(
        call, {x, weights, call.optional(2), 0, weights.shape[0], options.activation()},
        [&](TensorIndex w) { return filter(w, channels, groups); },
        [&](TensorIndex maps, TensorIndex w, std::optional<TensorIndex> bias,
            compose::ConvolutionOptions with) {
            with.groups = groups;
            return compose::convolution(ops_, maps, w, bias, windows, with);
        });
}

void Lowering::depthwise_conv_2d(const Call& call) {
    const auto& options = call.needed_options<wire::DepthwiseConv2DOptions>();
    Value& x = call.input(0);
    Value& weights = call.input(1);
    call.require_rank(x, 4);
    call.require_rank(weights, 4);
    const std::int64_t channels = x.shape[3], results = weights.shape[3];
    if (channels < 1 || results % channels != 0 || weights.shape[0] != 1) {
        call.illegal("filter " + weights.name, shape_text(weights.shape),
                     "the filter has shape [1,h,w,channels], a multiple of the input channels, " +
                         std::to_string(channels));
    }
    const compose::Windows windows{window(call, x.shape[1], weights.shape[1], options.stride_h(),
                                          options.dilation_h(), options.padding()),
                                   window(call, x.shape[2], weights.shape[2], options.stride_w(),
                                          options.dilation_w(), options.padding())};
    const Shape s = weights.shape;
    finish_product(
        call, {x, weights, call.optional(2), 3, results, options.activation()},
        [&](TensorIndex w) {
            if (compose::is_depthwise(channels, channels)) {
                return ops_.reshape(w, {s[1], s[2], channels, results / channels}, "filter");
            }
            return compose::arranged_weights(
                ops_, w, {{s[1], s[2], results}, {2, 0, 1}, {results, s[1], s[2], 1}});
        },
        [&](TensorIndex maps, TensorIndex w, std::optional<TensorIndex> bias,
            compose::ConvolutionOptions with) {
            with.groups = channels;
            return compose::convolution(ops_, maps, w, bias, windows, with);
        });
}

void Lowering::conv_3d(const Call& call) {
    const auto& options = call.needed_options<wire::Conv3DOptions>();
    Value& x = call.input(0);
    Value& weights = call.input(1);
    call.require_rank(x, 5);
    call.require_rank(weights, 5);
    const Shape s = weights.shape;  // [D,H,W,I,O]
    if (s[3] != x.shape[4]) {
        call.illegal("filter " + weights.name, shape_text(s),
                     "the filter has the input's channels, " + std::to_string(x.shape[4]));
    }
    const compose::Windows windows{
        window(call, x.shape[1], s[0], options.stride_d(), options.dilation_d(), options.padding()),
        window(call, x.shape[2], s[1], options.stride_h(), options.dilation_h(), options.padding()),
        window(call, x.shape[3], s[2], options.stride_w(), options.dilation_w(),
               options.padding())};
    finish_product(
        call, {x, weights, call.optional(2), 4, s[4], options.activation()},
        [&](TensorIndex w) {
            const TensorIndex first = compose::arranged_weights(
                ops_, w, {s, {4, 0, 1, 2, 3}, {s[4], s[0], s[1], s[2], s[3]}});
            return filter(first, s[3], 1);
        },
        [&](TensorIndex maps, TensorIndex w, std::optional<TensorIndex> bias,
            const compose::ConvolutionOptions& with) {
            return compose::convolution(ops_, maps, w, bias, windows, with);
        });
}

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
    compose::Windows windows;
    compose::ConvolutionOptions given;
    for (const std::size_t i : {1U, 2U}) {
        const std::int64_t stride = i == 1 ? options.stride_h() : options.stride_w();
        const std::int64_t kernel = weights.shape[i];
        compose::WindowAxis axis = window(call, std::max<std::int64_t>(shape[i], kernel), kernel,
                                          stride, 1, options.padding());
        if (options.padding() == wire::Padding::SAME) {
            axis = compose::same_padded(axis, shape[i], compose::OddPadding::kAfter);
        }
        const std::int64_t whole = (x.shape[i] - 1) * stride + kernel;
        const std::int64_t end = shape[i] + axis.before - whole;
        axis.after = std::max<std::int64_t>(-end, 0);
        given.output_padding.push_back(std::max<std::int64_t>(end, 0));
        if (axis.before + axis.after >= whole) {
            call.illegal("output shape", shape_text(shape), "the padding leaves a result");
        }
        windows.push_back(axis);
    }
    finish_product(
        call, {x, weights, call.optional(3), 0, weights.shape[0], options.activation()},
        [](TensorIndex w) { return w; },
        [&](TensorIndex maps, TensorIndex w, std::optional<TensorIndex> bias,
            compose::ConvolutionOptions with) {
            with.output_padding = given.output_padding;
            return compose::transposed_convolution(ops_, maps, w, bias, windows, with);
        });
}

}  // namespace okksim::sim::graph::tflite
