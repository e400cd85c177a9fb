// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions.
#include <algorithm>

#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/window_fit.h"
#include "sim/graph/compose/windows.h"

namespace okksim::sim::graph::compose {

namespace {

std::int64_t added_after(const ConvolutionOptions& options, std::size_t direction) {
    return options.output_padding.empty() ? 0 : options.output_padding[direction];
}

/// Puts stride - 1 elements of `value` after each element.
TensorIndex stuffed(OperatorBuilder& ops, TensorIndex x, std::size_t axis, std::int64_t stride,
                    double value) {
    if (stride == 1) return x;
    const Shape shape = ops.shape(x);
    const std::int64_t outer = extent(shape, 0, axis + 1);
    const std::int64_t inner = extent(shape, axis + 1, shape.size());
    const TensorIndex lines = ops.reshape(x, {outer, 1, inner}, "lines");
    const TensorIndex padded =
        ops.pad(lines, {0, 0, 0, stride - 1, 0, 0}, ops.number(ops.type(x), 1, value), "stuffed");
    return ops.reshape(padded, with_dimension(shape, axis, shape[axis] * stride), "stuffed_maps");
}

// TRANSPOSE_CONV2D has neither groups, dilation nor a third direction. The equal convolution has
// the mirrored kernel and stride 1.
TensorIndex by_convolution(OperatorBuilder& ops, TensorIndex x, TensorIndex weights,
                           std::optional<TensorIndex> bias, const Windows& windows,
                           const ConvolutionOptions& options) {
    const std::size_t first =
        is_depthwise(ops.shape(x).back(), options.groups) ? 0 : 1;  // spatial dimension of weights
    Windows unit = windows;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const WindowAxis& axis = windows[i];
        x = stuffed(ops, x, 1 + i, axis.stride, static_cast<double>(options.input_zero_point));
        weights = mirrored(ops, weights, first + i);
        unit[i].stride = 1;
        unit[i].before = axis.reach() - 1 - axis.before;
        unit[i].after = axis.reach() - axis.stride - axis.after + added_after(options, i);
    }
    return convolution(ops, x, weights, bias, unit, options);
}

TensorIndex transposed_plane(OperatorBuilder& ops, TensorIndex x, TensorIndex weights,
                             std::optional<TensorIndex> bias, const Windows& windows,
                             const ConvolutionOptions& options) {
    const DType type = ops.type(x);
    const bool is_real = is_floating_point(type);
    TransposeConv2dAttributes attributes;
    attributes.acc_type = options.accumulator;
    if (attributes.acc_type == DType::kUnknown) {
        attributes.acc_type = is_real               ? DType::kFp32
                              : type == DType::kI16 ? DType::kI48
                                                    : DType::kI32;
    }
    const DType sums = is_real ? type : attributes.acc_type;
    const Shape maps = ops.shape(x), kernel = ops.shape(weights);
    Shape whole{maps[0], 0, 0, kernel[0]}, start(4, 0), wanted = whole;
    for (std::size_t i = 0; i < 2; ++i) {
        // out_pad removes less than a kernel; the rest is sliced off.
        const WindowAxis& axis = windows[i];
        const std::int64_t size = (maps[1 + i] - 1) * axis.stride + axis.kernel;
        const std::int64_t after = added_after(options, i) - axis.after;
        const std::int64_t front = std::max(-axis.before, 1 - axis.kernel);
        const std::int64_t back = std::max(after, 1 - axis.kernel);
        attributes.out_pad[2 * i] = static_cast<std::int32_t>(front);
        attributes.out_pad[2 * i + 1] = static_cast<std::int32_t>(back);
        attributes.stride[i] = static_cast<std::int32_t>(axis.stride);
        whole[1 + i] = size + front + back;
        start[1 + i] = axis.before + front;
        wanted[1 + i] = size - axis.before + after;
    }
    const TensorIndex added = bias ? *bias : ops.number(sums, 1, 0);
    const TensorList inputs{
        x, weights, added, ops.number(type, 1, static_cast<double>(options.input_zero_point)),
        ops.number(ops.type(weights), 1, static_cast<double>(options.weight_zero_point))};
    TensorIndex all = ops.block().add(OpCode::kTransposeConv2d, attributes, inputs, sums, whole,
                                      "transposed_convolution");
    if (options.finish) all = options.finish(all);
    return ops.slice(all, start, wanted, "kept");
}

}  // namespace

TensorIndex transposed_convolution(OperatorBuilder& ops, TensorIndex x, TensorIndex weights,
                                   std::optional<TensorIndex> bias, const Windows& windows,
                                   const ConvolutionOptions& options) {
    const bool is_dilated = std::any_of(windows.begin(), windows.end(), [](const WindowAxis& axis) {
        return axis.dilation > 1 && axis.kernel > 1;
    });
    if (options.groups > 1 || is_dilated || windows.size() > 2) {
        return by_convolution(ops, x, weights, bias, windows, options);
    }
    if (windows.size() == 2) return transposed_plane(ops, x, weights, bias, windows, options);
    ConvolutionOptions plane_options = options;
    if (!options.output_padding.empty())
        plane_options.output_padding.insert(plane_options.output_padding.begin(), 0);
    const TensorIndex plane = transposed_plane(ops, as_plane(ops, x), as_plane(ops, weights), bias,
                                               as_plane(windows), plane_options);
    Shape line = ops.shape(plane);
    line.erase(line.begin() + 1);
    return ops.reshape(plane, line, "line");
}

}  // namespace okksim::sim::graph::compose
