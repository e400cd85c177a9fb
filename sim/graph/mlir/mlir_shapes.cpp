// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/mlir/mlir_shapes.h"

#include <algorithm>
#include <charconv>

#include "sim/graph/element.h"
#include "sim/graph/mlir/mlir_fields.h"

namespace okksim::sim::graph {

namespace {

using Operands = std::span<const Tensor* const>;

/// Broadcasts dimensions of 1 to the size of the others.
std::optional<Shape> joint(Operands operands) {
    Shape shape;
    for (const Tensor* operand : operands) {
        if (shape.empty()) shape = operand->shape.get();
        if (operand->shape.size() != shape.size()) return std::nullopt;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            if (shape[i] == 1) shape[i] = operand->shape[i];
        }
    }
    return shape;
}

std::optional<std::size_t> axis_of(const MlirOperation& op, const Shape& shape) {
    const MlirAttribute* attribute = op.find("axis");
    if (attribute == nullptr || attribute->kind != MlirAttribute::Kind::kNumber) return {};
    std::size_t axis = 0;
    std::from_chars(attribute->text.data(), attribute->text.data() + attribute->text.size(), axis);
    if (axis >= shape.size()) return std::nullopt;
    return axis;
}

std::optional<Shape> reduced(const MlirOperation& op, Shape shape) {
    const auto axis = axis_of(op, shape);
    if (!axis) return std::nullopt;
    shape[*axis] = 1;
    return shape;
}

/// Returns the shape without the axis that ARGMAX reduces.
std::optional<Shape> without_axis(const MlirOperation& op, Shape shape) {
    const auto axis = axis_of(op, shape);
    if (!axis) return std::nullopt;
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*axis));
    return shape;
}

std::optional<Shape> joined(const MlirOperation& op, Operands operands) {
    Shape shape = operands[0]->shape;
    const auto axis = axis_of(op, shape);
    if (!axis) return std::nullopt;
    for (const Tensor* operand : operands.subspan(1)) {
        if (operand->shape.size() != shape.size()) return std::nullopt;
        shape[*axis] += operand->shape[*axis];
    }
    return shape;
}

std::optional<Shape> transposed(const MlirOperation& op, const Shape& shape) {
    const MlirAttribute* perms = op.find("perms");
    if (perms == nullptr || perms->integers.size() != shape.size()) return std::nullopt;
    Shape result;
    for (const std::int64_t from : perms->integers) {
        if (from < 0 || static_cast<std::size_t>(from) >= shape.size()) return std::nullopt;
        result.push_back(shape[static_cast<std::size_t>(from)]);
    }
    return result;
}

/// Returns the shape of a RESHAPE with constant dimensions.
std::optional<Shape> reshaped(Operands operands) {
    if (operands.size() != 2 || !operands[1]->has_data || operands[1]->type != DType::kShape) {
        return std::nullopt;
    }
    return filled_shape(operands[0]->shape, integer_values(*operands[1]));
}

std::optional<Shape> product(Operands operands) {
    if (operands.size() < 2 || operands[0]->shape.size() != 3 || operands[1]->shape.size() != 3) {
        return std::nullopt;
    }
    return Shape{operands[0]->shape[0], operands[0]->shape[1], operands[1]->shape[2]};
}

}  // namespace

std::optional<Shape> filled_shape(const Shape& input, Shape wanted) {
    const auto left = std::find(wanted.begin(), wanted.end(), -1);
    if (left == wanted.end()) return wanted;
    *left = 1;
    const auto count = element_count(input);
    const auto others = element_count(wanted);  // nothing if there is another -1
    if (!count || !others || *others == 0 || *count % *others != 0) return std::nullopt;
    *left = static_cast<std::int64_t>(*count / *others);
    return wanted;
}

std::optional<Shape> implied_shape(const MlirOperation& op, OpCode code, Operands operands) {
    if (operands.empty()) return std::nullopt;
    if (has_one_type(code)) return joint(operands);
    const std::string name = operation_name(code);
    if (name.starts_with("reduce_")) return reduced(op, operands[0]->shape);
    if (code == OpCode::kArgmax) return without_axis(op, operands[0]->shape);
    for (const OpCode same : {OpCode::kNegate, OpCode::kCast, OpCode::kTable, OpCode::kRescale,
                              OpCode::kFft2d, OpCode::kScatter}) {
        if (code == same) return operands[0]->shape.get();
    }
    for (const OpCode test :
         {OpCode::kEqual, OpCode::kGreater, OpCode::kGreaterEqual, OpCode::kSelect}) {
        if (code == test) return joint(operands);
    }
    if (code == OpCode::kMul)
        return joint(operands.first(std::min<std::size_t>(operands.size(), 2)));
    if (code == OpCode::kConcat) return joined(op, operands);
    if (code == OpCode::kTranspose) return transposed(op, operands[0]->shape);
    if (code == OpCode::kReshape) return reshaped(operands);
    if (code == OpCode::kMatmul) return product(operands);
    return computed_shape(op, code, operands);
}

}  // namespace okksim::sim::graph
