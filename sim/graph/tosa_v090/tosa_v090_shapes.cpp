// SPDX-License-Identifier: Apache-2.0
// Shape arithmetic, which is folded, and the operators that take shapes.
#include <algorithm>

#include "sim/graph/element.h"
#include "sim/graph/tosa_v090/tosa_v090_lowering.h"

namespace okksim::sim::graph {

namespace {

using Values = std::vector<std::int64_t>;

/// An unknown dimension, which is negative.
constexpr std::int64_t kUnknownDimension = -1;
// Above every size that a level permits; prevents overflow of sums and products.
constexpr std::int64_t kMostShapeValue = std::int64_t{1} << 31;

bool is_value(std::int64_t value) { return value >= 0 && value <= kMostShapeValue; }

/// Returns the arithmetic of an operator on shapes, or 0 for other operators. Both 0.90's shape
/// operators and the general operators of the specification's text are accepted.
char arithmetic_of(wire090::Op op) {
    switch (op) {
        case wire090::Op::ADD_SHAPE:
        case wire090::Op::ADD: return '+';
        case wire090::Op::SUB_SHAPE:
        case wire090::Op::SUB: return '-';
        case wire090::Op::MUL_SHAPE:
        case wire090::Op::MUL: return '*';
        case wire090::Op::DIV_SHAPE:
        case wire090::Op::INTDIV: return '/';
        default: return 0;
    }
}

}  // namespace

bool LoweringV090::computes_shape(const OperatorV090& op) const {
    switch (op.wire->op()) {
        case wire090::Op::DIM:
        case wire090::Op::CONST_SHAPE:
        case wire090::Op::CONCAT_SHAPE:
        case wire090::Op::ADD_SHAPE:
        case wire090::Op::SUB_SHAPE:
        case wire090::Op::MUL_SHAPE:
        case wire090::Op::DIV_SHAPE: return true;
        case wire090::Op::COND_IF:
        case wire090::Op::WHILE_LOOP: return false;
        default: return !op.outputs.empty() && output(op).type == DType::kShape;
    }
}

std::optional<TensorIndex> LoweringV090::unknown_operand(const OperatorV090& op) const {
    if (op.wire->op() == wire090::Op::DIM) return std::nullopt;
    for (const TensorIndex index : op.inputs) {
        if (!shapes_.contains(index)) return index;
    }
    return std::nullopt;
}

Values LoweringV090::folded_dimension(const OperatorV090& op) {
    require_operands(op, 1, 1);
    refuse_later_forms(op);
    const std::int64_t axis = attribute<wire090::AxisAttribute>(op, "AxisAttribute").axis();
    const Shape& shape = input(op, 0).shape;
    if (axis < 0 || axis >= static_cast<std::int64_t>(shape.size())) {
        illegal(op, "axis", std::to_string(axis),
                "the axis of DIM is one of the input's, which has the shape " + shape_text(shape));
    }
    return {shape[static_cast<std::size_t>(axis)]};
}

Values LoweringV090::folded_arithmetic(const OperatorV090& op,
                                       const std::vector<const Values*>& operands) {
    const char arithmetic = arithmetic_of(op.wire->op());
    if (arithmetic == 0) {
        illegal(op, "tensor " + output(op).name, "shape_t", "the operator does not take shapes");
    }
    require_operands(op, 2, 1);
    if (operands[0]->size() != operands[1]->size()) {
        illegal(
            op, "inputs", std::to_string(operands[1]->size()),
            "both shapes have the same number of values: " + std::to_string(operands[0]->size()));
    }
    Values result;
    for (std::size_t i = 0; i < operands[0]->size(); ++i) {
        const std::int64_t a = (*operands[0])[i], b = (*operands[1])[i];
        if (!is_value(a) || !is_value(b)) {
            result.push_back(kUnknownDimension);
            continue;
        }
        if (arithmetic == '/' && b == 0) illegal(op, "divisor", "0", "a shape's divisor is not 0");
        result.push_back(arithmetic == '+'   ? a + b
                         : arithmetic == '-' ? a - b
                         : arithmetic == '*' ? a * b
                                             : a / b);
    }
    return result;
}

Values LoweringV090::folded(const OperatorV090& op) {
    const wire090::Op code = op.wire->op();
    if (code == wire090::Op::DIM) return folded_dimension(op);
    std::vector<const Values*> operands;
    for (const TensorIndex index : op.inputs) operands.push_back(&shapes_.at(index));
    if (code == wire090::Op::CONST_SHAPE || code == wire090::Op::CONST) {
        require_operands(op, 0, 1);
        if (output(op).shape == Shape{0}) return {};
        if (!output(op).has_data) {
            illegal(op, "tensor " + output(op).name, "", "a constant has its values in the file");
        }
        return integer_values(output(op));
    }
    Values result;
    if (code == wire090::Op::CONCAT_SHAPE || code == wire090::Op::CONCAT) {
        if (operands.empty()) illegal(op, "inputs", "0", "a concatenation has at least one input");
        for (const Values* part : operands) result.insert(result.end(), part->begin(), part->end());
        return result;
    }
    if (code == wire090::Op::REVERSE || code == wire090::Op::IDENTITY) {
        require_operands(op, 1, 1);
        result = *operands[0];
        if (code == wire090::Op::REVERSE) std::reverse(result.begin(), result.end());
        return result;
    }
    return folded_arithmetic(op, operands);
}

void LoweringV090::fold_shape(const OperatorV090& op) {
    if (op.outputs.size() != 1) illegal(op, "outputs", "", "an operator on shapes has one output");
    if (output(op).type != DType::kShape) {
        illegal(op, "tensor " + output(op).name, std::string(dtype_name(output(op).type)),
                "the output of an operator on shapes is shape_t");
    }
    const Values values = folded(op);
    const Shape flat{static_cast<std::int64_t>(values.size())};
    Tensor& result = b_.block().tensors[op.outputs[0]];
    // In the text of the specification, padding is [rank,2] and one dimension has rank 0.
    const bool is_pairs = result.shape == Shape{flat[0] / 2, 2};
    const bool is_scalar = result.shape == Shape{0} && values.size() == 1;
    if (is_pairs || is_scalar) result.shape = flat;
    if (result.shape != flat) {
        illegal(op, "tensor " + result.name, shape_text(result.shape),
                "the shape that is computed has " + std::to_string(values.size()) + " values");
    }
    result.data = b_.graph().own_bytes(pack_integers(DType::kShape, values));
    result.has_data = true;
    shapes_[op.outputs[0]] = values;
    b_.begin_operator({op.index, result.name});
    b_.add(OpCode::kConstShape, NoAttributes{}, {}, op.outputs);
}

TensorIndex LoweringV090::known_shape(const OperatorV090& op, std::size_t n, const Values* implied,
                                      const char* name) {
    const TensorIndex index = op.inputs[n];
    const Tensor& tensor = b_.tensor(index);
    // Values of enclosing blocks are bound after all blocks have been read.
    if (tensor.type != DType::kShape || tensor.is_capture) return index;
    const auto known = shapes_.find(index);
    if (known == shapes_.end()) {
        if (implied != nullptr) return b_.shape_value(*implied, name);
        illegal(op, "input " + tensor.name, "unknown",
                "shapes are known before the model runs: give --input " + tensor.name +
                    "=FILE.npy with its values as int64");
    }
    // A graph input has no data, so its known value needs a constant.
    return tensor.has_data ? index : b_.shape_value(known->second, name);
}

template <typename Vector>
TensorIndex LoweringV090::shape_operand(const OperatorV090& op, std::size_t n,
                                        const Vector* attribute, const char* name) {
    if (n < op.inputs.size()) return known_shape(op, n, nullptr, name);
    Values values;
    if (attribute != nullptr) values.assign(attribute->begin(), attribute->end());
    return b_.shape_value(values, name);
}

template TensorIndex LoweringV090::shape_operand(const OperatorV090&, std::size_t,
                                                 const flatbuffers::Vector<std::int16_t>*,
                                                 const char*);

void LoweringV090::lower_pad(const OperatorV090& op) {
    const auto& a = attribute<wire090::PadAttribute>(op, "PadAttribute");
    require_operands(op, op.inputs.size() == 1 ? 1 : 2, 1);
    const DType type = input(op, 0).type;
    const TensorIndex padding = shape_operand(op, 1, a.padding(), "padding");
    TensorIndex value = 0;
    if (is_floating_point(type)) {
        float real = 0.0F;
        if (const auto* bytes = a.pad_const_fp(); bytes != nullptr && bytes->size() >= 4) {
            std::copy_n(bytes->data(), 4, reinterpret_cast<std::uint8_t*>(&real));
        }
        value = b_.real_constant(type, {1}, static_cast<double>(real), "pad_const");
    } else {
        const bool is_boolean = type == DType::kBool;
        value =
            scalar(op, type, is_boolean ? a.pad_const_int() != 0 : a.pad_const_int(), "pad_const");
    }
    b_.add(OpCode::kPad, NoAttributes{}, {op.inputs[0], padding, value}, op.outputs);
}

/// Returns the operator with a known shape operand: that of the file, or `implied` by shapes or
/// attributes.
OperatorV090 LoweringV090::with_shape(const OperatorV090& op, const Values& implied,
                                      const char* name) {
    OperatorV090 result = op;
    if (op.inputs.size() == 2) {
        result.inputs[1] = known_shape(op, 1, &implied, name);
    } else if (op.inputs.size() == 1) {
        result.inputs.push_back(b_.shape_value(implied, name));
    }
    return result;
}

void LoweringV090::lower_reshape(const OperatorV090& op) {
    const auto* a = op.wire->attribute_as_ReshapeAttribute();
    const bool by_attribute = op.inputs.size() == 1 && a != nullptr;
    require_operands(op, by_attribute ? 1 : 2, 1);
    Values shape = output(op).shape;
    if (by_attribute && a->new_shape() != nullptr) {
        shape.assign(a->new_shape()->begin(), a->new_shape()->end());
    }
    lower_plain<OpCode::kReshape>(with_shape(op, shape, "shape"));
}

void LoweringV090::lower_tile(const OperatorV090& op) {
    const auto* a = op.wire->attribute_as_TileAttribute();
    const bool by_attribute = op.inputs.size() == 1 && a != nullptr;
    require_operands(op, by_attribute ? 1 : 2, 1);
    Values multiples;
    const Shape& from = input(op, 0).shape;
    for (std::size_t i = 0; i < std::min(from.size(), output(op).shape.size()); ++i) {
        multiples.push_back(from[i] > 0 ? output(op).shape[i] / from[i] : 1);
    }
    if (by_attribute && a->multiples() != nullptr) {
        multiples.assign(a->multiples()->begin(), a->multiples()->end());
    }
    lower_plain<OpCode::kTile>(with_shape(op, multiples, "multiples"));
}

void LoweringV090::lower_slice(const OperatorV090& op) {
    const auto* a = op.wire->attribute_as_SliceAttribute();
    const bool by_attribute = op.inputs.size() == 1 && a != nullptr;
    require_operands(op, by_attribute ? 1 : 3, 1);
    OperatorV090 slice = op;
    if (by_attribute) {
        slice.inputs.push_back(shape_operand(op, 1, a->start(), "start"));
        slice.inputs.push_back(shape_operand(op, 2, a->size(), "size"));
    } else {
        const Values size = output(op).shape;
        slice.inputs[1] = known_shape(op, 1, nullptr, "start");
        slice.inputs[2] = known_shape(op, 2, &size, "size");
    }
    lower_plain<OpCode::kSlice>(slice);
}

// The text of the specification permits the concatenation of scalars.
void LoweringV090::lower_concat(const OperatorV090& op) {
    OperatorV090 concat = op;
    for (TensorIndex& part : concat.inputs) {
        const Tensor& tensor = b_.tensor(part);
        if (tensor.shape.empty() && !tensor.is_capture) part = constant_view(part, {1}, "part");
    }
    lower_axis<OpCode::kConcat, ConcatAttributes>(concat);
}

void LoweringV090::lower_transpose(const OperatorV090& op) {
    const auto& a = attribute<wire090::TransposeAttribute>(op, "TransposeAttribute");
    TransposeAttributes attributes;
    if (a.perms() != nullptr) attributes.perms.assign(a.perms()->begin(), a.perms()->end());
    b_.add(OpCode::kTranspose, std::move(attributes), op.inputs, op.outputs);
}

}  // namespace okksim::sim::graph
