// SPDX-License-Identifier: Apache-2.0
// Result shapes that follow from windows, lists of sizes and scales, by the equations of the
// operators' sections. Sizes of operands and attributes are below 2^31, so 64-bit arithmetic does
// not overflow.
#include <limits>

#include "sim/graph/element.h"
#include "sim/graph/mlir/mlir_shapes.h"

namespace okksim::sim::graph {

namespace {

using Operands = std::span<const Tensor* const>;
using Numbers = std::vector<std::int64_t>;

bool is_small(const Numbers& numbers) {
    for (const std::int64_t number : numbers) {
        if (number != static_cast<std::int32_t>(number)) return false;
    }
    return true;
}

/// Returns an attribute with `count` numbers.
std::optional<Numbers> numbers(const MlirOperation& op, const char* name, std::size_t count) {
    const MlirAttribute* attribute = op.find(name);
    if (attribute == nullptr || attribute->integers.size() != count) return std::nullopt;
    if (!is_small(attribute->integers)) return std::nullopt;
    return attribute->integers;
}

/// Returns the values of a shape operand.
std::optional<Numbers> listed(Operands operands, std::size_t position, std::size_t count) {
    if (operands.size() <= position) return std::nullopt;
    const Tensor& tensor = *operands[position];
    if (!tensor.has_data || tensor.type != DType::kShape) return std::nullopt;
    Numbers values = integer_values(tensor);
    if (values.size() != count || !is_small(values)) return std::nullopt;
    return values;
}

/// The dimensions that a window covers: 2 or 3 after the first one.
struct Window {
    Numbers kernel;
    Numbers pad;
    Numbers stride;
    Numbers dilation;
};

/// Returns 0 if no window fits. Validation reports a remainder.
std::int64_t places(const Window& window, std::size_t axis, std::int64_t input) {
    const std::int64_t span = input - 1 + window.pad[2 * axis] + window.pad[2 * axis + 1] -
                              (window.kernel[axis] - 1) * window.dilation[axis];
    return span < 0 ? 0 : span / window.stride[axis] + 1;
}

std::optional<Shape> windowed(const MlirOperation& op, const Shape& input, Numbers kernel,
                              bool has_dilation, std::int64_t channels) {
    const std::size_t axes = kernel.size();
    const auto pad = numbers(op, "pad", 2 * axes);
    const auto stride = numbers(op, "stride", axes);
    const auto dilation =
        has_dilation ? numbers(op, "dilation", axes) : std::optional(Numbers(axes, 1));
    if (!pad || !stride || !dilation) return std::nullopt;
    const Window window{std::move(kernel), *pad, *stride, *dilation};
    Shape shape = input;
    for (std::size_t i = 0; i < axes; ++i) {
        if (window.stride[i] < 1) return std::nullopt;
        shape[i + 1] = places(window, i, input[i + 1]);
    }
    shape.back() = channels;
    return shape;
}

std::optional<Shape> pooled(const MlirOperation& op, const Shape& input) {
    const auto kernel = numbers(op, "kernel", 2);
    if (!kernel || input.size() != 4) return std::nullopt;
    return windowed(op, input, *kernel, false, input.back());
}

/// The weights are [OC,KH,KW,IC], [OC,KD,KH,KW,IC], or [KH,KW,C,M] for DEPTHWISE_CONV2D.
std::optional<Shape> convolved(const MlirOperation& op, OpCode code, Operands operands) {
    const std::size_t rank = code == OpCode::kConv3d ? 5 : 4;
    if (operands.size() < 2 || operands[0]->shape.size() != rank ||
        operands[1]->shape.size() != rank) {
        return std::nullopt;
    }
    const Shape& weights = operands[1]->shape;
    if (code == OpCode::kDepthwiseConv2d) {
        return windowed(op, operands[0]->shape, {weights[0], weights[1]}, true,
                        weights[2] * weights[3]);
    }
    return windowed(op, operands[0]->shape, {weights.begin() + 1, weights.end() - 1}, true,
                    weights[0]);
}

std::optional<Shape> transposed_convolved(const MlirOperation& op, Operands operands) {
    if (operands.size() < 2 || operands[0]->shape.size() != 4 || operands[1]->shape.size() != 4) {
        return std::nullopt;
    }
    const auto pad = numbers(op, "out_pad", 4);
    const auto stride = numbers(op, "stride", 2);
    if (!pad || !stride) return std::nullopt;
    Shape shape = operands[0]->shape;
    const Shape& weights = operands[1]->shape;
    for (std::size_t i = 0; i < 2; ++i) {
        shape[i + 1] =
            (shape[i + 1] - 1) * (*stride)[i] + (*pad)[2 * i] + (*pad)[2 * i + 1] + weights[i + 1];
    }
    shape[3] = weights[0];
    return shape;
}

std::optional<Shape> resized(Operands operands) {
    const auto scale = listed(operands, 1, 4);
    const auto offset = listed(operands, 2, 2);
    const auto border = listed(operands, 3, 2);
    Shape shape = operands[0]->shape;
    if (!scale || !offset || !border || shape.size() != 4) return std::nullopt;
    for (std::size_t i = 0; i < 2; ++i) {
        const std::int64_t denominator = (*scale)[2 * i + 1];
        if (denominator < 1) return std::nullopt;
        const std::int64_t span =
            (shape[i + 1] - 1) * (*scale)[2 * i] - (*offset)[i] + (*border)[i];
        shape[i + 1] = span < 0 ? 0 : span / denominator + 1;
    }
    return shape;
}

std::optional<Shape> padded(Operands operands) {
    Shape shape = operands[0]->shape;
    const auto padding = listed(operands, 1, 2 * shape.size());
    if (!padding) return std::nullopt;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        shape[i] += (*padding)[2 * i] + (*padding)[2 * i + 1];
    }
    return shape;
}

std::optional<Shape> tiled(Operands operands) {
    Shape shape = operands[0]->shape;
    const auto multiples = listed(operands, 1, shape.size());
    if (!multiples) return std::nullopt;
    for (std::size_t i = 0; i < shape.size(); ++i) shape[i] *= (*multiples)[i];
    return shape;
}

/// Returns the shape of half of the spectrum of real numbers.
std::optional<Shape> transformed(Shape shape) {
    if (shape.size() != 3) return std::nullopt;
    shape[2] = shape[2] / 2 + 1;
    return shape;
}

std::optional<Shape> gathered(Operands operands) {
    if (operands.size() < 2 || operands[0]->shape.size() != 3 || operands[1]->shape.size() != 2) {
        return std::nullopt;
    }
    return Shape{operands[0]->shape[0], operands[1]->shape[1], operands[0]->shape[2]};
}

}  // namespace

std::optional<Shape> computed_shape(const MlirOperation& op, OpCode code, Operands operands) {
    for (const Tensor* operand : operands) {
        for (const std::int64_t size : operand->shape.get()) {
            if (size < 0 || size > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
        }
    }
    if (code == OpCode::kAvgPool2d || code == OpCode::kMaxPool2d) {
        return pooled(op, operands[0]->shape);
    }
    for (const OpCode convolution : {OpCode::kConv2d, OpCode::kConv3d, OpCode::kDepthwiseConv2d}) {
        if (code == convolution) return convolved(op, code, operands);
    }
    if (code == OpCode::kTransposeConv2d) return transposed_convolved(op, operands);
    if (code == OpCode::kResize) return resized(operands);
    if (code == OpCode::kPad) return padded(operands);
    if (code == OpCode::kTile) return tiled(operands);
    if (code == OpCode::kSlice) return listed(operands, 2, operands[0]->shape.size());
    if (code == OpCode::kRfft2d) return transformed(operands[0]->shape);
    if (code == OpCode::kGather) return gathered(operands);
    return std::nullopt;
}

}  // namespace okksim::sim::graph
