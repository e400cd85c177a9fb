// SPDX-License-Identifier: Apache-2.0
// Convolutions and InnerProduct.
#include <algorithm>

#include "sim/graph/xmodel/xmodel_lowering.h"

namespace okksim::sim::graph::xmodel {

namespace {

constexpr std::int64_t kMostStride = 8192;  // of TOSA's level 8K

/// Returns a part of a constant along its outermost dimension.
Value constant_part(const Value& value, std::int64_t parts, std::int64_t index) {
    Value part = value;
    part.shape[0] /= parts;
    const std::size_t size = value.data.size() / static_cast<std::size_t>(parts);
    part.data = value.data.subspan(static_cast<std::size_t>(index) * size, size);
    part.declared.reset();
    part.channels_last.reset();
    return part;
}

}  // namespace

void Lowering::check_bias(const Call& call, std::int64_t channels) {
    const bool has_bias = call.bias != nullptr;
    if (call.node.flag("bias_term", has_bias) != has_bias) {
        call.node.illegal("bias_term", has_bias ? "false" : "true",
                          "bias_term is true if and only if a bias is given");
    }
    if (!has_bias) return;
    if (element_count(call.bias->shape) != static_cast<std::uint64_t>(channels)) {
        call.node.illegal("bias", shape_text(call.bias->shape),
                          "the bias has a value per output channel, " + std::to_string(channels));
    }
    require_type(call, *call.bias, "bias");
}

Lowering::Product Lowering::convolution_product(const Call& call, OpCode op, const Shape& maps,
                                                std::array<std::int64_t, 2> kernel,
                                                std::int64_t channels) {
    Product product{op, read_windows(call.node, call.vocabulary, maps, &kernel), {}, {}, 0};
    const auto& [y, x] = product.windows;
    product.padding = {y.before, y.used_after(), x.before, x.used_after()};
    product.output = {maps[0], y.output, x.output, channels};
    return product;
}

TensorIndex Lowering::cropped(TensorIndex maps, const Windows& windows) {
    Shape size = ops_.shape(maps);
    size[1] = windows.y.used();
    size[2] = windows.x.used();
    return ops_.slice(maps, Shape(size.size(), 0), size, "used");
}

void Lowering::convolution(const Call& call, Value& result) {
    require_rank(call, call.input(), 4);
    require_rank(call, *call.weights, 4);
    require_arithmetic(call.input());
    require_type(call, *call.weights, "weights");
    const Shape maps = maps_shape(call, call.input());
    const Shape kernel = maps_shape(call, *call.weights);
    const std::int64_t groups = call.node.integer("group", 1);
    const std::int64_t channels = kernel[0];
    if (groups < 1 || maps[3] != kernel[3] * groups || channels % groups != 0) {
        call.node.illegal("group", std::to_string(groups),
                          "group times the weights' input channels, " + std::to_string(kernel[3]) +
                              ", are the input's channels, " + std::to_string(maps[3]) +
                              ", and group divides the output channels");
    }
    check_bias(call, channels);
    Product product =
        convolution_product(call, OpCode::kConv2d, maps, {kernel[1], kernel[2]}, channels);
    product.products = kernel[1] * kernel[2] * kernel[3];
    const TensorIndex x =
        cropped(tensors_.feature_map(call.input(), call.vocabulary), product.windows);
    product.zero_points = zero_points(x);
    if (groups == 1) {
        const TensorIndex weights = tensors_.feature_map(*call.weights, call.vocabulary);
        set_maps(call, result, summed(call, product, x, weights, call.bias, result));
        return;
    }
    if (kernel[3] == 1) {  // a depthwise convolution, output channels by input channel
        product.op = OpCode::kDepthwiseConv2d;
        const Arrangement arrangement{
            {groups, channels / groups, kernel[1], kernel[2]}, {}, {2, 3, 0, 1}};
        const TensorIndex weights = tensors_.arranged(*call.weights, arrangement, "weights");
        set_maps(call, result, summed(call, product, x, weights, call.bias, result));
        return;
    }
    set_maps(call, result, grouped(call, groups, kernel, product, x, result));
}

TensorIndex Lowering::grouped(const Call& call, std::int64_t groups, const Shape& kernel_shape,
                              const Product& product, TensorIndex x, const Value& result) {
    Product part = product;
    part.output[3] /= groups;
    const ElementType& type = call.input().type;
    std::vector<TensorIndex> parts;
    for (std::int64_t g = 0; g < groups; ++g) {
        Shape size = maps_shape(call, call.input());
        size[1] = product.windows.y.used();
        size[2] = product.windows.x.used();
        size[3] = kernel_shape[3];
        const TensorIndex channels =
            tensors_.slice(type, x, {0, 0, 0, g * kernel_shape[3]}, size, "group_input");
        TensorIndex weights;
        if (call.weights->is_constant) {
            Value constant = constant_part(*call.weights, groups, g);
            weights = tensors_.feature_map(constant, call.vocabulary);
        } else {
            Shape wanted = kernel_shape;
            wanted[0] /= groups;
            weights = tensors_.slice(type, tensors_.feature_map(*call.weights, call.vocabulary),
                                     {g * wanted[0], 0, 0, 0}, wanted, "group_weights");
        }
        std::optional<Value> bias;
        if (call.bias != nullptr && call.bias->is_constant) {
            Value all = *call.bias;
            all.shape = {product.output[3]};
            bias = constant_part(all, groups, g);
        } else if (call.bias != nullptr) {
            bias = *call.bias;
            bias->shape = {part.output[3]};
            const TensorIndex flat =
                tensors_.reshape(type, tensors_.declared(*call.bias), {product.output[3]}, "bias");
            bias->declared =
                tensors_.slice(type, flat, {g * part.output[3]}, bias->shape, "group_bias");
        }
        parts.push_back(summed(call, part, channels, weights, bias ? &*bias : nullptr, result));
    }
    return ops_.concat(parts, 3, "groups");
}

void Lowering::depthwise_convolution(const Call& call, Value& result) {
    require_rank(call, call.input(), 4);
    require_rank(call, *call.weights, 4);
    require_arithmetic(call.input());
    require_type(call, *call.weights, "weights");
    const Shape maps = maps_shape(call, call.input());
    const Shape kernel = maps_shape(call, *call.weights);
    if (kernel[3] != maps[3]) {
        call.node.illegal("weights", shape_text(call.weights->shape),
                          "the weights have the input's channels, " + std::to_string(maps[3]));
    }
    const std::int64_t channels = kernel[0] * maps[3];
    check_bias(call, channels);
    Product product =
        convolution_product(call, OpCode::kDepthwiseConv2d, maps, {kernel[1], kernel[2]}, channels);
    product.products = kernel[1] * kernel[2];
    const std::vector<std::int32_t> perms = call.is_oplib() ? std::vector<std::int32_t>{2, 3, 1, 0}
                                                            : std::vector<std::int32_t>{1, 2, 3, 0};
    const TensorIndex x =
        cropped(tensors_.feature_map(call.input(), call.vocabulary), product.windows);
    product.zero_points = zero_points(x);
    const TensorIndex weights =
        tensors_.arranged(*call.weights, {call.weights->shape, {}, perms}, "weights");
    set_maps(call, result, summed(call, product, x, weights, call.bias, result));
}

namespace {

/// The output of a transposed convolution in one direction, and the part of its whole result that
/// is cut off.
struct TransposedAxis {
    std::int64_t output = 0;
    std::int64_t before = 0;  ///< cut off
    std::int64_t whole = 0;   ///< (input - 1) stride + kernel
};

TransposedAxis transposed_axis(const WindowAxis& axis, const std::string& mode) {
    TransposedAxis result;
    result.whole = (axis.input - 1) * axis.stride + axis.kernel;
    if (mode == "SAME") {
        result.output = axis.input * axis.stride;
        result.before = std::max<std::int64_t>(axis.kernel - axis.stride, 0) / 2;
    } else if (mode == "VALID") {
        result.output = (axis.input - 1) * axis.stride + std::max(axis.kernel, axis.stride);
    } else {
        result.output = result.whole - axis.before - axis.after;
        result.before = axis.before;
    }
    return result;
}

}  // namespace

void Lowering::transposed_convolution(const Call& call, Value& result) {
    require_rank(call, call.input(), 4);
    require_rank(call, *call.weights, 4);
    require_arithmetic(call.input());
    require_type(call, *call.weights, "weights");
    const NodeView& node = call.node;
    const Shape maps = maps_shape(call, call.input());
    const Shape kernel = maps_shape(call, *call.weights);
    if (kernel[3] != maps[3]) {
        node.illegal("weights", shape_text(call.weights->shape),
                     "the weights have the input's channels, " + std::to_string(maps[3]));
    }
    check_bias(call, kernel[0]);
    const auto given = read_pair(node, call.vocabulary, "kernel_size", "kernel", {0, 0});
    const auto stride = read_pair(node, call.vocabulary, "strides", "stride", {1, 1});
    const auto dilation = read_pair(node, call.vocabulary, "dilation", "dilation", {1, 1});
    const auto padding = read_padding(node, call.vocabulary);
    const std::string mode = read_pad_mode(node, call.vocabulary);
    if (given != std::array<std::int64_t, 2>{} && given != std::array{kernel[1], kernel[2]}) {
        node.illegal("kernel", list_text({given[0], given[1]}),
                     "the kernel is that of the weights, " + list_text({kernel[1], kernel[2]}));
    }
    if (dilation != std::array<std::int64_t, 2>{1, 1}) {
        throw UnsupportedPart("dilation of a transposed convolution", false);
    }
    Product product{OpCode::kTransposeConv2d, {}, {maps[0], 0, 0, kernel[0]}, {}, 0};
    product.products = kernel[1] * kernel[2] * kernel[3];
    Shape wanted = product.output, start(4, 0);
    for (const std::size_t i : {0U, 1U}) {
        WindowAxis& axis = i == 0 ? product.windows.y : product.windows.x;
        if (stride[i] < 1 || stride[i] > kMostStride) {
            node.illegal("stride", std::to_string(stride[i]),
                         "the stride is 1 to " + std::to_string(kMostStride));
        }
        axis = {maps[1 + i], kernel[1 + i], stride[i], 1, padding[2 * i], padding[2 * i + 1], 0};
        const TransposedAxis shape = transposed_axis(axis, mode);
        if (shape.output < 1) {
            node.illegal("padding", std::to_string(axis.before + axis.after),
                         "the result is not empty without its padding");
        }
        // out_pad removes less than a kernel; the rest is sliced off.
        const std::int64_t most = axis.kernel - 1;
        const std::int64_t at_front = std::min(shape.before, most);
        const std::int64_t behind = shape.output + shape.before - shape.whole;
        const std::int64_t at_back = std::max(behind, -most);
        product.padding[2 * i] = -at_front;
        product.padding[2 * i + 1] = at_back;
        product.output[1 + i] = shape.whole - at_front + at_back;
        start[1 + i] = shape.before - at_front;
        wanted[1 + i] = shape.output;
    }
    if (const auto declared = node.integers("output_shape"); declared && !declared->empty()) {
        if (*declared != from_maps(call, wanted)) {
            node.illegal("output_shape", list_text(*declared),
                         "output_shape is the shape that the other attributes give, " +
                             shape_text(from_maps(call, wanted)));
        }
    }
    // XIR files store the filter mirrored.
    const Arrangement arrangement = call.is_oplib()
                                        ? Arrangement{call.weights->shape, {}, {0, 2, 3, 1}}
                                        : Arrangement{call.weights->shape, {1, 2}, {0, 1, 2, 3}};
    const TensorIndex x = tensors_.feature_map(call.input(), call.vocabulary);
    product.zero_points = zero_points(x);
    const TensorIndex weights = tensors_.arranged(*call.weights, arrangement, "weights");
    const TensorIndex all = summed(call, product, x, weights, call.bias, result);
    set_maps(call, result, tensors_.slice(call.input().type, all, start, wanted, "kept"));
}

void Lowering::inner_product(const Call& call, Value& result) {
    require_arithmetic(call.input());
    require_type(call, *call.weights, "weights");
    require_rank(call, *call.weights, 2);
    Value& input = call.input();
    std::int64_t first = 1;
    if (call.is_oplib()) {
        require_rank(call, input, 4);
    } else {
        first = call.node.integer("axis", 1);
        if (first < 0) first += static_cast<std::int64_t>(input.rank());
        if (first < 0 || first >= static_cast<std::int64_t>(input.rank())) {
            call.node.illegal("axis", std::to_string(first), "axis is a dimension of the input");
        }
    }
    std::int64_t rows = 1, columns = 1;
    for (std::size_t i = 0; i < input.rank(); ++i) {
        (static_cast<std::int64_t>(i) < first ? rows : columns) *= input.shape[i];
    }
    const std::int64_t channels = call.weights->shape[0];
    if (call.weights->shape[1] != columns) {
        call.node.illegal(
            "weights", shape_text(call.weights->shape),
            "the weights have a column per value of an input row, " + std::to_string(columns));
    }
    check_bias(call, channels);
    const ElementType& type = input.type;
    Product product{OpCode::kConv2d, {}, {rows, 1, 1, channels}, {}, columns};
    product.windows.y = product.windows.x = {1, 1, 1, 1, 0, 0, 1};
    const TensorIndex x =
        tensors_.reshape(type, tensors_.declared(input), {rows, 1, 1, columns}, "rows");
    product.zero_points = zero_points(x);
    const TensorIndex weights =
        tensors_.arranged(*call.weights, {{channels, 1, 1, columns}, {}, {0, 1, 2, 3}}, "weights");
    const TensorIndex sums = summed(call, product, x, weights, call.bias, result);
    if (call.is_oplib()) {
        result.shape = {rows, channels, 1, 1};
        result.channels_last = sums;
        return;
    }
    result.shape.assign(input.shape.begin(), input.shape.begin() + first);
    result.shape.push_back(channels);
    result.declared = tensors_.reshape(type, sums, result.shape, "flat");
}

}  // namespace okksim::sim::graph::xmodel
