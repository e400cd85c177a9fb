// SPDX-License-Identifier: Apache-2.0
// Convolutions with folded batch normalisation, in all precisions.
#include <cmath>
#include <cstring>

#include "sim/zoo/network_builder.h"

namespace okksim::sim::zoo {

using namespace okksim::tosa;

namespace {

/// int8 weight units per standard deviation: +-2 sqrt(3) deviations fill most of +-127.
constexpr double kWeightUnits = 36.0;
/// Deviation of the biases as a share of the deviation of the sums.
constexpr double kBiasDeviation = 0.25;

template <typename Attributes>
Attributes conv_attributes(const ConvLayer& layer, const Window& y, const Window& x,
                           DType accumulator) {
    Attributes attributes;
    attributes.pad = {y.before, y.after, x.before, x.after};
    attributes.stride = {layer.stride, layer.stride};
    attributes.dilation = {1, 1};
    attributes.acc_type = accumulator;
    return attributes;
}

}  // namespace

Window window(std::int64_t input, int kernel, int stride) {
    const std::int64_t size = (input + stride - 1) / stride;
    const auto total = static_cast<std::int32_t>((size - 1) * stride + kernel - input);
    const std::int32_t before = std::min(std::max(total, 0), (kernel - 1) / 2);
    return {size, before, total - before};
}

/// The weights of a layer. Weight [i] of output channel c is deviation[c] times a normal number.
struct NetworkBuilder::Weights {
    Shape shape;
    std::int64_t channels;
    std::vector<double> deviation;  ///< one per output channel
    std::vector<double> bias;       ///< real values
    Random random;

    std::size_t channel_of(std::size_t i, std::size_t count, bool depthwise) const {
        const auto n = static_cast<std::size_t>(channels);
        return depthwise ? i % n : i / (count / n);
    }
};

NetworkBuilder::Weights NetworkBuilder::make_weights(const Feature& x, const ConvLayer& layer) {
    const std::int64_t in = x.shape[3];
    const std::int64_t kernel = layer.kernel;
    Weights weights{{layer.channels, kernel, kernel, in}, layer.channels, {}, {}, next_stream()};
    if (layer.depthwise) {
        weights.shape = {kernel, kernel, in, 1};
        weights.channels = in;
    }
    const auto fan_in = static_cast<double>(kernel * kernel * (layer.depthwise ? 1 : in));
    const double deviation = layer.spread / std::sqrt(fan_in * x.moments.square());
    // Channel scales are uniform in 0.6 .. 1.4; their mean square is 1 + 0.64 / 12.
    const double mean_square = 1.0 + 0.64 / 12.0;
    Random random = next_stream();
    for (std::int64_t c = 0; c < weights.channels; ++c) {
        const double gain = (0.6 + 0.8 * random.uniform()) / std::sqrt(mean_square);
        weights.deviation.push_back(deviation * (layer.per_channel ? gain : 1.0));
        const double bias = kBiasDeviation * layer.spread * random.normal();
        weights.bias.push_back(layer.bias ? bias : 0.0);
    }
    return weights;
}

TensorIndex NetworkBuilder::weight_constant(const Weights& weights, const ConvLayer& layer) {
    const std::size_t count = graph::element_count(weights.shape).value();
    const int width = tosa::storage_bits(type()) / 8;
    std::vector<std::byte> bytes(count * static_cast<std::size_t>(width));
    const auto fill = [&]<typename T>(T, const auto& convert) {
        Random random = weights.random;
        for (std::size_t i = 0; i < count; ++i) {
            const double normal = random.normal();
            const T value =
                convert(normal, weights.deviation[weights.channel_of(i, count, layer.depthwise)]);
            std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
        }
    };
    switch (options_.precision) {
        case Precision::kFp32:
            fill(0.0F, [](double normal, double d) { return static_cast<float>(normal * d); });
            break;
        case Precision::kFp16:
            fill(std::uint16_t{}, [](double normal, double d) { return to_fp16(normal * d); });
            break;
        case Precision::kInt8:
            fill(std::int8_t{}, [](double normal, double) {
                return Quantisation{1.0 / kWeightUnits, 0}.quantise(normal);
            });
            break;
    }
    return graph_.constant_bytes(type(), weights.shape, std::move(bytes));
}

TensorIndex NetworkBuilder::bias_constant(const Weights& weights, const Feature& x) {
    if (!is_quantised()) return reals(type(), {weights.channels}, weights.bias);
    std::vector<std::int64_t> values;
    for (std::size_t c = 0; c < weights.bias.size(); ++c) {
        const double unit = x.quantisation.scale * weights.deviation[c] / kWeightUnits;
        values.push_back(static_cast<std::int64_t>(std::nearbyint(weights.bias[c] / unit)));
    }
    return integers(DType::kI32, values);
}

Feature NetworkBuilder::crop_for_stride(const Feature& x, const ConvLayer& layer) {
    const std::int32_t y_after = std::min(window(x.shape[1], layer.kernel, layer.stride).after, 0);
    const std::int32_t x_after = std::min(window(x.shape[2], layer.kernel, layer.stride).after, 0);
    if (y_after == 0 && x_after == 0) return x;
    // TOSA section 2.3 requires exact output sizes, so input that no window reads is sliced off.
    return slice(x, {0, 0, 0, 0},
                 {x.shape[0], x.shape[1] + y_after, x.shape[2] + x_after, x.shape[3]});
}

TensorIndex NetworkBuilder::conv_operator(const Feature& x, const ConvLayer& layer,
                                          const Weights& weights, const Shape& shape) {
    const Window vertical = window(x.shape[1], layer.kernel, layer.stride);
    const Window horizontal = window(x.shape[2], layer.kernel, layer.stride);
    const DType sums = is_quantised() ? DType::kI32 : type();
    const DType accumulator = is_quantised() ? DType::kI32 : DType::kFp32;
    const TensorIndex input_zero = is_quantised()
                                       ? integers(DType::kI8, {x.quantisation.zero_point})
                                       : reals(type(), {1}, {0.0});
    const TensorIndex weight_zero =
        is_quantised() ? integers(DType::kI8, {0}) : reals(type(), {1}, {0.0});
    const std::vector<TensorIndex> inputs{x.tensor, weight_constant(weights, layer),
                                          bias_constant(weights, x), input_zero, weight_zero};
    if (layer.depthwise) {
        return op(
            OpCode::kDepthwiseConv2d,
            conv_attributes<DepthwiseConv2dAttributes>(layer, vertical, horizontal, accumulator),
            inputs, sums, shape);
    }
    return op(OpCode::kConv2d,
              conv_attributes<Conv2dAttributes>(layer, vertical, horizontal, accumulator), inputs,
              sums, shape);
}

Feature NetworkBuilder::conv_real(Feature result, const ConvLayer& layer, TensorIndex sums) {
    result.tensor = sums;
    return activate(result, layer.activation);
}

Feature NetworkBuilder::conv_int8(Feature result, const Feature& x, const ConvLayer& layer,
                                  const Weights& weights, TensorIndex sums) {
    // Saturation implements rectifiers. Other activations need the full range of the sums.
    const Activation ending = is_clamp(layer.activation) ? layer.activation : Activation::kNone;
    result.quantisation = layer.int16_result ? Quantisation{std::ldexp(1.0, -12), 0}
                                             : quantise_range(range_of(ending, result.moments));
    std::vector<double> factors;
    for (const double deviation : weights.deviation) {
        factors.push_back(x.quantisation.scale * deviation / kWeightUnits /
                          result.quantisation.scale);
    }
    if (!layer.per_channel) factors.resize(1);
    result.tensor = rescale(sums, DType::kI32, 0, layer.int16_result ? DType::kI16 : DType::kI8,
                            result.quantisation.zero_point, factors, result.shape);
    return activate(result, layer.activation);
}

Feature NetworkBuilder::conv(const Feature& input, const ConvLayer& layer) {
    const Feature x = crop_for_stride(input, layer);
    const Weights weights = make_weights(x, layer);
    Feature result;
    result.shape = {x.shape[0], window(x.shape[1], layer.kernel, layer.stride).size,
                    window(x.shape[2], layer.kernel, layer.stride).size, weights.channels};
    const double bias_share = layer.bias ? kBiasDeviation * kBiasDeviation : 0.0;
    result.moments = {0.0, layer.spread * layer.spread * (1.0 + bias_share)};
    // An fp32 sum of n products has n/2 roundings of partial sums of half the final square.
    const auto products = static_cast<double>(graph::element_count(weights.shape).value()) /
                          static_cast<double>(weights.channels);
    result.error = x.error + products * std::ldexp(1.0, -48) / 3.0 + rounding();
    const TensorIndex sums = conv_operator(x, layer, weights, result.shape);
    return is_quantised() ? conv_int8(std::move(result), x, layer, weights, sums)
                          : conv_real(std::move(result), layer, sums);
}

}  // namespace okksim::sim::zoo
