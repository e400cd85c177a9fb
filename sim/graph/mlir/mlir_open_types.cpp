// SPDX-License-Identifier: Apache-2.0
// Types with open dimensions ('?') get the sizes that the shapes of the inputs give them.
#include <algorithm>

#include "isa/errors.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/mlir/mlir_module.h"
#include "sim/graph/mlir/mlir_names.h"
#include "sim/graph/mlir/mlir_shapes.h"

namespace okksim::sim::graph {

namespace {

/// What is wrong is reported; the reader goes on to find more.
void forget_open(MlirType& type) {
    for (std::int64_t& dimension : type.shape) {
        if (dimension == MlirType::kOpen) dimension = 1;
    }
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
                 : std::string("write this one in the text, or have mlir-opt "
                               "--tosa-infer-shapes do so")) +
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
    for (std::size_t i = 0; i < type.shape.size(); ++i) {
        if (type.shape[i] == MlirType::kOpen) open_sizes_.insert((*shape)[i]);
    }
    type.shape = *shape;
    type.open_at = 0;
    type.is_unranked = false;
}

void MlirModuleParser::close_result(const Scope& scope, const MlirOperation& op, MlirType& type) {
    std::vector<const Tensor*> operands;
    for (const MlirOperation::Operand& operand : op.operands) {
        operands.push_back(&scope.builder.tensor(operand.tensor));
    }
    const auto shape = op.code ? implied_shape(op, *op.code, operands) : std::nullopt;
    if (shape && type.fits(type.type, *shape)) {
        type.shape = *shape;
        type.is_unranked = false;
        type.open_at = 0;
        return;
    }
    if (type.is_unranked) return close_all(type);
    for (std::size_t i = 0; i < op.operand_types.size(); ++i) {
        const Shape& as_written = op.operand_types[i].shape;
        if (as_written.size() != type.shape.size()) continue;
        const TensorShape& known = scope.builder.tensor(op.operands[i].tensor).shape;
        for (std::size_t axis = 0; axis < as_written.size(); ++axis) {
            if (type.shape[axis] == MlirType::kOpen && as_written[axis] == MlirType::kOpen) {
                type.shape[axis] = known[axis];
            }
        }
    }
    close_all(type);
}

void MlirModuleParser::close_all(MlirType& type) {
    if (!is_wanted_) return forget_open(type);
    if (type.is_unranked) {
        if (!report_.has_problems()) report_open(type, " that follows from its operands");
        return forget_open(type);
    }
    const auto is_open = [](std::int64_t dimension) { return dimension == MlirType::kOpen; };
    if (std::any_of(type.shape.begin(), type.shape.end(), is_open) && open_sizes_.size() != 1) {
        if (!report_.has_problems()) {
            report_open(type, open_sizes_.empty()
                                  ? " that no input has"
                                  : ", and the inputs have several sizes for theirs");
        }
        return forget_open(type);
    }
    for (std::int64_t& dimension : type.shape) {
        if (is_open(dimension)) dimension = *open_sizes_.begin();
    }
    type.open_at = 0;
}

}  // namespace okksim::sim::graph
