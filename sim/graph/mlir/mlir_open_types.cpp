// SPDX-License-Identifier: Apache-2.0
// Infers the sizes of open dimensions ('?') and of types without a rank from the inputs' shapes.
#include <algorithm>

#include "isa/base/errors.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/mlir/mlir_module.h"
#include "sim/graph/mlir/mlir_names.h"
#include "sim/graph/mlir/mlir_shapes.h"

namespace okksim::sim::graph {

namespace {

/// The error has been reported; parsing continues to find further errors.
void forget_open(MlirType& type) {
    for (std::int64_t& dimension : type.shape) {
        if (dimension == MlirType::kOpen) dimension = 1;
    }
    type.open_at = 0;
    type.is_unranked = false;
}

void close_as(MlirType& type, const Shape& shape) {
    type.shape = shape;
    type.open_at = 0;
    type.is_unranked = false;
}

std::string open_shape_text(const Shape& shape) {
    std::string text = "[";
    for (const std::int64_t dimension : shape) {
        text += text.size() == 1 ? "" : ",";
        text += dimension == MlirType::kOpen ? "?" : std::to_string(dimension);
    }
    return text + "]";
}

}  // namespace

void MlirModuleParser::report_open(const MlirType& type, const std::string& why,
                                   const std::optional<std::string>& input,
                                   const std::string& more) {
    report_.error(
        type.open_at,
        (type.is_unranked ? "the tensor has no rank ('*')" : "a dimension is open ('?')") + why +
            ": every shape must be known; " +
            (input
                 ? "give the shapes of the inputs, --input " + (input->empty() ? "NAME" : *input) +
                       "=SHAPE (1x224x224x3), give them to the tool that writes the text, or run "
                       "mlir-opt --tosa-infer-shapes"
                 : std::string(
                       "write this shape in the text, or run mlir-opt --tosa-infer-shapes")) +
            more);
}

std::string MlirModuleParser::wrong_inputs(std::span<const Argument> inputs) const {
    std::vector<std::string> known;
    for (const Argument& input : inputs) {
        if (!input.name.empty()) known.push_back(decode_value_name(input.name.substr(1)));
    }
    std::string text;
    for (const std::string& name : options_.given_inputs) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        text += "; --input " + name + ": " + no_such_input(name, known);
    }
    return text;
}

void MlirModuleParser::close_input(Argument& argument, std::span<const Argument> all) {
    MlirType& type = argument.type;
    if (!is_wanted_) return forget_open(type);
    std::string name;
    if (!argument.name.empty()) name = decode_value_name(argument.name.substr(1));
    const auto shape = options_.input_shape ? options_.input_shape(name) : std::nullopt;
    if (!shape) {
        report_open(type, "", name, wrong_inputs(all));
        return forget_open(type);
    }
    if (!type.fits(type.type, *shape)) {
        throw ConfigError("--input " + name, "has the shape " + shape_text(*shape) +
                                                 "; the model's input has " +
                                                 open_shape_text(type.shape));
    }
    close_as(type, *shape);
}

const Tensor& MlirModuleParser::known_tensor(const Scope& scope, TensorIndex index) {
    const Tensor* tensor = &scope.builder.tensor(index);
    for (const Scope* at = scope.outer; tensor->is_capture && at != nullptr; at = at->outer) {
        if (const auto outside = at->builder.find(tensor->name))
            tensor = &at->builder.tensor(*outside);
    }
    return *tensor;
}

std::optional<Shape> MlirModuleParser::result_shape(const Scope& scope, const MlirOperation& op,
                                                    std::size_t position) const {
    if (!op.code) return std::nullopt;
    if (*op.code == OpCode::kWhileLoop) {
        if (position >= op.operands.size()) return std::nullopt;
        return known_tensor(scope, op.operands[position].tensor).shape.get();
    }
    if (*op.code == OpCode::kCondIf) {
        const Block& block = blocks_[op.regions[0].block];
        if (position >= block.outputs.size()) return std::nullopt;
        const Tensor& output = block.tensors[block.outputs[position]];
        if (!output.is_capture) return output.shape.get();
        const auto outside = scope.builder.find(output.name);
        if (!outside) return std::nullopt;
        return known_tensor(scope, *outside).shape.get();
    }
    std::vector<const Tensor*> operands;
    for (const MlirOperation::Operand& operand : op.operands) {
        operands.push_back(&known_tensor(scope, operand.tensor));
    }
    return implied_shape(op, *op.code, operands);
}

void MlirModuleParser::close_result(const Scope& scope, const MlirOperation& op,
                                    std::size_t position, MlirType& type) {
    if (!is_wanted_ || report_.has_problems()) return forget_open(type);
    const auto shape = result_shape(scope, op, position);
    if (!shape) {
        report_open(type, " that operands and attributes do not determine");
        return forget_open(type);
    }
    const bool is_empty =
        std::any_of(shape->begin(), shape->end(), [](std::int64_t size) { return size < 1; });
    if (is_empty || !type.fits(type.type, *shape)) {
        report_.error(type.open_at, "operands and attributes give the result the shape " +
                                        shape_text(*shape) +
                                        (is_empty ? ": dimensions are at least 1"
                                                  : ", and not " + open_shape_text(type.shape)));
        return forget_open(type);
    }
    close_as(type, *shape);
}

void MlirModuleParser::close_argument(const Scope& scope, const MlirOperation& op,
                                      std::size_t position, MlirType& type) {
    if (!is_wanted_ || report_.has_problems()) return forget_open(type);
    // The first operand of a cond_if is the condition.
    const std::size_t operand = position + (op.code == OpCode::kCondIf ? 1 : 0);
    if (op.is_broken || operand >= op.operands.size()) return forget_open(type);
    const TensorShape& shape = known_tensor(scope, op.operands[operand].tensor).shape;
    if (!type.fits(type.type, shape)) return forget_open(type);  // reported with the operation
    close_as(type, shape);
}

}  // namespace okksim::sim::graph
