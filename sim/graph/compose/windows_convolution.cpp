// SPDX-License-Identifier: Apache-2.0
// Convolutions.
#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/indexing.h"
#include "sim/graph/compose/moves.h"
#include "sim/graph/compose/window_fit.h"
#include "sim/graph/compose/windows.h"

namespace okksim::sim::graph::compose {

namespace {

/// Types and zero points of a convolution.
struct Arithmetic {
    DType accumulator = DType::kUnknown;
    DType result = DType::kUnknown;
    TensorIndex input_zero, weight_zero;
};

DType default_accumulator(DType type) {
    if (is_floating_point(type)) return DType::kFp32;
    return type == DType::kI16 ? DType::kI48 : DType::kI32;
}

Arithmetic arithmetic(OperatorBuilder& ops, TensorIndex x, TensorIndex weights,
                      const ConvolutionOptions& options) {
    const DType type = ops.type(x);
    Arithmetic result;
    result.accumulator =
        options.accumulator == DType::kUnknown ? default_accumulator(type) : options.accumulator;
    result.result = is_floating_point(type) ? type : result.accumulator;
    result.input_zero = ops.number(type, 1, static_cast<double>(options.input_zero_point));
    result.weight_zero =
        ops.number(ops.type(weights), 1, static_cast<double>(options.weight_zero_point));
    return result;
}

std::int32_t narrow(std::int64_t value) { return static_cast<std::int32_t>(value); }

template <typename Convolution2d>
Convolution2d attributes_2d(const Windows& w, DType accumulator) {
    Convolution2d result;
    result.pad = {narrow(w[0].before), narrow(w[0].after), narrow(w[1].before), narrow(w[1].after)};
    result.stride = {narrow(w[0].stride), narrow(w[1].stride)};
    result.dilation = {narrow(w[0].dilation), narrow(w[1].dilation)};
    result.acc_type = accumulator;
    return result;
}

Conv3dAttributes attributes_3d(const Windows& w, DType accumulator) {
    Conv3dAttributes result;
    for (std::size_t i = 0; i < 3; ++i) {
        result.pad[2 * i] = narrow(w[i].before);
        result.pad[2 * i + 1] = narrow(w[i].after);
        result.stride[i] = narrow(w[i].stride);
        result.dilation[i] = narrow(w[i].dilation);
    }
    result.acc_type = accumulator;
    return result;
}

TensorIndex dense(OperatorBuilder& ops, const Fitted& fit, TensorIndex weights, TensorIndex bias,
                  const Arithmetic& types) {
    Shape shape = map_shape(ops.shape(fit.x), fit.counts);
    shape.back() = ops.shape(weights)[0];
    const TensorList inputs{fit.x, weights, bias, types.input_zero, types.weight_zero};
    if (fit.windows.size() == 3) {
        return ops.block().add(OpCode::kConv3d, attributes_3d(fit.windows, types.accumulator),
                               inputs, types.result, shape, "convolution");
    }
    return ops.block().add(OpCode::kConv2d,
                           attributes_2d<Conv2dAttributes>(fit.windows, types.accumulator), inputs,
                           types.result, shape, "convolution");
}

TensorIndex depthwise_plane(OperatorBuilder& ops, const Fitted& fit, TensorIndex weights,
                            TensorIndex bias, const Arithmetic& types) {
    const Shape kernel = ops.shape(weights);
    Shape shape = map_shape(ops.shape(fit.x), fit.counts);
    shape.back() = kernel[2] * kernel[3];
    const TensorList inputs{fit.x, weights, bias, types.input_zero, types.weight_zero};
    return ops.block().add(OpCode::kDepthwiseConv2d,
                           attributes_2d<DepthwiseConv2dAttributes>(fit.windows, types.accumulator),
                           inputs, types.result, shape, "convolution");
}

/// Sums a depthwise convolution of planes for each element of the kernel's first direction.
TensorIndex depthwise_space(OperatorBuilder& ops, const Fitted& fit, TensorIndex weights,
                            TensorIndex bias, const Arithmetic& types) {
    const Shape maps = ops.shape(fit.x), kernel = ops.shape(weights);
    const WindowAxis& depth = fit.windows[0];
    const std::int64_t count = fit.counts[0];
    Shape result = map_shape(maps, fit.counts);
    result.back() = kernel[3] * kernel[4];
    std::optional<TensorIndex> sum;
    for (std::int64_t d = 0; d < kernel[0]; ++d) {
        std::vector<std::int64_t> planes;
        for (std::int64_t i = 0; i < count; ++i) {
            planes.push_back(i * depth.stride + d * depth.dilation);
        }
        const TensorIndex taken = gather(ops, fit.x, {{count}, planes}, 1);
        Fitted plane{ops.reshape(taken, {maps[0] * count, maps[2], maps[3], maps[4]}, "planes"),
                     {fit.windows[1], fit.windows[2]},
                     {fit.counts[1], fit.counts[2]}};
        const TensorIndex filter = ops.reshape(
            part(ops, weights, 0, d, 1), {kernel[1], kernel[2], kernel[3], kernel[4]}, "plane");
        const TensorIndex none = ops.number(types.result, 1, 0);
        const TensorIndex product = depthwise_plane(ops, plane, filter, sum ? none : bias, types);
        sum = sum ? ops.binary(OpCode::kAdd, *sum, product, "sum") : product;
    }
    return ops.reshape(*sum, result, "space");
}

/// Returns the weights of an equal convolution without groups: products of other groups are zero.
TensorIndex ungrouped_weights(OperatorBuilder& ops, TensorIndex weights, std::int64_t groups,
                              TensorIndex zero) {
    const Shape shape = ops.shape(weights);
    const std::int64_t filters = shape[0] / groups, channels = shape.back();
    std::vector<TensorIndex> parts;
    for (std::int64_t g = 0; g < groups; ++g) {
        Shape padding(2 * shape.size(), 0);
        padding[padding.size() - 2] = g * channels;
        padding.back() = (groups - 1 - g) * channels;
        parts.push_back(
            ops.pad(part(ops, weights, 0, g * filters, filters), padding, zero, "group_weights"));
    }
    return concat(ops, parts, 0);
}

TensorIndex grouped(OperatorBuilder& ops, const Fitted& fit, TensorIndex weights,
                    std::optional<TensorIndex> bias, const Arithmetic& types, std::int64_t groups) {
    const std::size_t last = ops.rank(fit.x) - 1;
    const std::int64_t channels = ops.shape(fit.x)[last] / groups;
    const std::int64_t filters = ops.shape(weights)[0] / groups;
    std::vector<TensorIndex> parts;
    for (std::int64_t g = 0; g < groups; ++g) {
        const Fitted group{part(ops, fit.x, last, g * channels, channels), fit.windows, fit.counts};
        const TensorIndex added =
            bias ? part(ops, *bias, 0, g * filters, filters) : ops.number(types.result, 1, 0);
        parts.push_back(
            dense(ops, group, part(ops, weights, 0, g * filters, filters), added, types));
    }
    return concat(ops, parts, last);
}

/// Returns the sums of a convolution of two or three directions.
TensorIndex convolved(OperatorBuilder& ops, TensorIndex x, TensorIndex weights,
                      std::optional<TensorIndex> bias, const Windows& windows,
                      const ConvolutionOptions& options) {
    const Arithmetic types = arithmetic(ops, x, weights, options);
    const bool is_deep = is_depthwise(ops.shape(x).back(), options.groups);
    const bool is_space = windows.size() == 3;
    const bool can_join = types.result != DType::kI48;  // CONCAT and ADD have no i48
    const bool is_deep_sum = is_deep && is_space && can_join;
    const Fitted fit = fitted(ops, x, windows, false, static_cast<double>(options.input_zero_point),
                              is_deep_sum ? PaddingLimit::kNone : PaddingLimit::kAny);
    const TensorIndex added = bias ? *bias : ops.number(types.result, 1, 0);
    if (is_deep_sum) return depthwise_space(ops, fit, weights, added, types);
    if (is_deep && !is_space) return depthwise_plane(ops, fit, weights, added, types);
    if (options.groups == 1) return dense(ops, fit, weights, added, types);
    if (can_join) return grouped(ops, fit, weights, bias, types, options.groups);
    if (is_deep) {  // [spatial..., C, M] becomes [C * M, spatial..., 1]
        const Shape kernel = ops.shape(weights);
        weights = rearranged(ops, weights, kernel, {3, 4, 0, 1, 2},
                             {kernel[3] * kernel[4], kernel[0], kernel[1], kernel[2], 1});
    }
    weights = ungrouped_weights(ops, weights, options.groups, types.weight_zero);
    return dense(ops, fit, weights, added, types);
}

}  // namespace

TensorIndex convolution(OperatorBuilder& ops, TensorIndex x, TensorIndex weights,
                        std::optional<TensorIndex> bias, const Windows& windows,
                        const ConvolutionOptions& options) {
    const bool is_deep = is_depthwise(ops.shape(x).back(), options.groups);
    if (windows.size() == 1) {
        Shape kernel = ops.shape(weights);
        kernel.insert(kernel.begin() + (is_deep ? 0 : 1), 1);
        const TensorIndex plane = convolution(ops, as_plane(ops, x), reshaped(ops, weights, kernel),
                                              bias, as_plane(windows), options);
        Shape line = ops.shape(plane);
        line.erase(line.begin() + 1);
        return ops.reshape(plane, line, "line");
    }
    const TensorIndex sums = convolved(ops, x, weights, bias, windows, options);
    return options.finish ? options.finish(sums) : sums;
}

}  // namespace okksim::sim::graph::compose
