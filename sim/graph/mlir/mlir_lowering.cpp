// SPDX-License-Identifier: Apache-2.0
// Converts parsed operations into operators of the graph.
#include <algorithm>

#include "sim/graph/element.h"
#include "sim/graph/mlir/mlir_fields.h"
#include "sim/graph/mlir/mlir_module.h"
#include "sim/graph/mlir/mlir_older.h"
#include "sim/graph/mlir/mlir_shapes.h"
#include "sim/graph/mlir/mlir_unsigned.h"
#include "sim/graph/validate/signatures.h"

namespace okksim::sim::graph {

namespace {

std::string described(DType type, const Shape& shape, bool is_unsigned) {
    return (is_unsigned ? "u" : "") + std::string(element_word(type)) + " " + shape_text(shape);
}

std::string described(const Tensor& tensor) {
    return described(tensor.type, tensor.shape, tensor.is_unsigned);
}

std::string described(const MlirType& type) {
    return type.is_value() ? described(type.type, type.shape, type.is_unsigned)
                           : std::string(type.spelling);
}

bool is_variable_access(OpCode code) {
    return code == OpCode::kVariableRead || code == OpCode::kVariableWrite;
}

}  // namespace

void MlirModuleParser::check_operand_types(Scope& scope, const MlirOperation& op) {
    if (op.operands.size() != op.operand_types.size()) {
        report_.error(op.at, "'" + std::string(op.name) + "' has " +
                                 std::to_string(op.operands.size()) + " operands and " +
                                 std::to_string(op.operand_types.size()) + " types for them");
        throw SyntaxBreak{};
    }
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
        const Tensor& tensor = known_tensor(scope, op.operands[i].tensor);
        const MlirType& type = op.operand_types[i];
        if (type.is_value() && type.type == DType::kUnknown) throw SyntaxBreak{};  // reported
        if (type.is_value() && type.is_unsigned == tensor.is_unsigned &&
            type.fits(tensor.type, tensor.shape)) {
            continue;
        }
        report_.error(op.operands[i].at, "the operand is " + described(tensor) +
                                             " where it is defined, and " + described(type) +
                                             " here");
        throw SyntaxBreak{};
    }
}

void MlirModuleParser::refuse_unknown(const MlirOperation& op) {
    const std::string_view older = advice_for_older_operation(op.name);
    report_.refuse(op.at, std::string(op.name),
                   "the dialect tosa has no operation '" + std::string(op.name) + "'" +
                       (!older.empty()       ? std::string(older)
                        : report_.is_heard() ? operation_meant(op.name)
                                             : ""));
}

void MlirModuleParser::lower(Scope& scope, MlirOperation& op) {
    const std::uint32_t index = next_index_++;
    try {
        const std::string_view name =
            op.name.substr(std::min(op.name.find('.') + 1, op.name.size()));
        const auto place = report_.locate(op.at);
        const bool is_from_nowhere = has_all_locations_ && op.location.empty();
        scope.builder.begin_operator(
            {index, name, graph_.own_text(op.location), static_cast<std::uint32_t>(place.line),
             is_from_nowhere ? 0 : static_cast<std::uint32_t>(place.column)});
        const bool is_terminator = name == "yield" || name == "return";
        scope.has_ended = scope.has_ended || is_terminator;
        const std::optional<OpCode> code = op.code;
        if (op.is_broken) {
            // The attributes are still read, to list all unsupported parts of the file.
            if (code && !is_variable_access(*code)) read_mlir_attributes(op, *code, report_);
            throw SyntaxBreak{};
        }
        check_operand_types(scope, op);
        if (is_terminator) return lower_terminator(scope, op);
        lower_operation(scope, op, *code);
    } catch (const SyntaxBreak&) {  // already reported; parsing continues after the operation
        break_results(scope, op);
    }
}

void MlirModuleParser::check_operand_counts(const MlirOperation& op, OpCode code) {
    const OperandCounts counts = operand_counts(code);
    const auto check = [&](const char* what, std::size_t count, std::size_t least, std::size_t most,
                           std::string_view advice) {
        if (count >= least && count <= most) return;
        report_.error(op.at, "'" + std::string(op.name) + "' has " + std::to_string(least) + " " +
                                 what + (least == 1 ? "" : "s") + ", and not " +
                                 std::to_string(count) + std::string(advice));
        throw SyntaxBreak{};
    };
    check("operand", op.operands.size(), counts.min_inputs, counts.max_inputs,
          op.operands.size() < counts.min_inputs ? advice_for_older_operands(op.name) : "");
    check("result", op.result_types.size(), counts.min_outputs, counts.max_outputs, "");
}

/// The shape of RESHAPE may contain a -1 for the remaining size, as torch-mlir writes it.
void MlirModuleParser::fill_shape(Scope& scope, MlirOperation& op) {
    const Tensor& shape = known_tensor(scope, op.operands[1].tensor);
    if (!shape.has_data || shape.type != DType::kShape) return;
    const Shape wanted = integer_values(shape);
    const auto left = std::find(wanted.begin(), wanted.end(), -1);
    if (left == wanted.end()) return;
    const auto filled = filled_shape(known_tensor(scope, op.operands[0].tensor).shape, wanted);
    if (!filled) return;  // validation reports it
    report_.warning(op.operands[1].at,
                    "the size -1 is read as " +
                        std::to_string((*filled)[static_cast<std::size_t>(left - wanted.begin())]) +
                        ": shapes of TOSA 1.0 have whole numbers");
    op.operands[1].tensor = scope.builder.shape_value(*filled, "shape");
}

void MlirModuleParser::lower_operation(Scope& scope, MlirOperation& op, OpCode code) {
    check_operand_counts(op, code);
    if (code == OpCode::kConst || code == OpCode::kConstShape) {
        return lower_constant(scope, op, code);
    }
    if (code == OpCode::kCondIf || code == OpCode::kWhileLoop) {
        return lower_control_flow(scope, op, code);
    }
    if (is_variable_access(code)) {
        return lower_variable_access(scope, op, code);
    }
    if (code == OpCode::kVariable) {
        report_.error(op.at, "variables are declared in the module, not in functions");
        throw SyntaxBreak{};
    }
    Attributes attributes = read_mlir_attributes(op, code, report_);
    check_unsigned_types(op, code, attributes, report_);
    if (code == OpCode::kReshape) fill_shape(scope, op);
    const std::vector<TensorIndex> results = define_results(scope, op);
    scope.builder.add(code, std::move(attributes), operand_tensors(op), results);
}

void MlirModuleParser::lower_constant(Scope& scope, MlirOperation& op, OpCode code) {
    const MlirAttribute* values = op.find("values");
    if (values == nullptr) values = op.find("value");
    if (values == nullptr || values->kind != MlirAttribute::Kind::kElements) {
        report_.error(op.at, "'" + std::string(op.name) +
                                 "' needs the attribute 'values' with dense elements");
        throw SyntaxBreak{};
    }
    read_mlir_attributes(op, code, report_);
    const std::vector<TensorIndex> results = define_results(scope, op);
    if (results.size() != 1) {
        report_.error(op.at, "'" + std::string(op.name) + "' has one result");
        throw SyntaxBreak{};
    }
    Tensor& tensor = scope.builder.block().tensors[results[0]];
    if (values->type.type != tensor.type || values->type.shape != tensor.shape ||
        values->type.is_unsigned != tensor.is_unsigned) {
        report_.error(op.at, "the values are " + described(values->type) + ", the result is " +
                                 described(tensor));
        throw SyntaxBreak{};
    }
    tensor.data = values->data;
    tensor.has_data = true;
    scope.builder.add(code, NoAttributes{}, {}, results);
}

/// The arguments and results of the regions must match those of the operation.
void MlirModuleParser::check_regions(const MlirOperation& op, OpCode code) {
    const bool is_loop = code == OpCode::kWhileLoop;
    const auto check = [&](const Block& block, const char* what,
                           const std::vector<TensorIndex>& values,
                           std::span<const MlirType> types) {
        bool is_same = values.size() == types.size();
        for (std::size_t i = 0; is_same && i < types.size(); ++i) {
            const Tensor& tensor = block.tensors[values[i]];
            // Unknown properties of a captured value are checked later, with the whole graph.
            is_same = tensor.is_capture || (types[i].is_unsigned == tensor.is_unsigned &&
                                            types[i].fits(tensor.type, tensor.shape));
        }
        if (is_same) return;
        std::string list;
        for (const MlirType& type : types) list += (list.empty() ? "" : ", ") + described(type);
        report_.error(op.at,
                      "the " + std::string(what) + " of a region of '" + std::string(op.name) +
                          "' are not those of the operation: " + (list.empty() ? "none" : list));
        throw SyntaxBreak{};
    };
    if (report_.has_problems()) return;  // the missing value may be one that could not be parsed
    const std::span<const MlirType> operands(op.operand_types);
    for (std::size_t i = 0; i < op.regions.size(); ++i) {
        const Block& block = blocks_[op.regions[i].block];
        check(block, "arguments", block.inputs, is_loop ? operands : operands.subspan(1));
        if (!is_loop || i == 1) check(block, "results", block.outputs, op.result_types);
    }
}

void MlirModuleParser::lower_control_flow(Scope& scope, MlirOperation& op, OpCode code) {
    if (op.regions.size() != 2) {
        report_.error(op.at, "'" + std::string(op.name) + "' has two regions, and not " +
                                 std::to_string(op.regions.size()));
        throw SyntaxBreak{};
    }
    read_mlir_attributes(op, code, report_);
    check_regions(op, code);
    Attributes attributes;
    if (code == OpCode::kCondIf) {
        attributes = CondIfAttributes{{op.regions[0], {}}, {op.regions[1], {}}};
    } else {
        attributes = WhileLoopAttributes{{op.regions[0], {}}, {op.regions[1], {}}};
    }
    // The results are defined after the operators of the inner blocks.
    const std::vector<TensorIndex> results = define_results(scope, op);
    scope.builder.add(code, std::move(attributes), operand_tensors(op), results);
}

void MlirModuleParser::lower_variable_access(Scope& scope, MlirOperation& op, OpCode code) {
    const MlirAttribute* attribute = op.find("name");
    if (attribute == nullptr || (attribute->kind != MlirAttribute::Kind::kString &&
                                 attribute->kind != MlirAttribute::Kind::kSymbol)) {
        report_.error(op.at, "'" + std::string(op.name) + "' needs the attribute 'name'");
        throw SyntaxBreak{};
    }
    std::string_view token = attribute->text;
    if (attribute->kind == MlirAttribute::Kind::kSymbol) token.remove_prefix(1);
    const std::string name = token.starts_with('"') ? unquoted(token) : std::string(token);
    const std::size_t at = attribute->at != 0 ? attribute->at : op.at;
    MlirType& type = (code == OpCode::kVariableRead ? op.result_types : op.operand_types)[0];
    const auto variable = find_variable(name, type, at);
    if (type.open_at != 0 && is_wanted_) {
        const Shape* shape = variable ? &graph_.variables[*variable].shape : nullptr;
        if (shape == nullptr || !type.fits(type.type, *shape)) {
            report_open(type, " of a variable that is not declared before with a shape that fits");
            throw SyntaxBreak{};
        }
        type.shape = *shape;
        type.is_unranked = false;
        type.open_at = 0;
    }
    if (!variable) {
        if (is_wanted_) report_.error(at, "the module has no variable @" + name);
        throw SyntaxBreak{};
    }
    // Every block that uses the state has a tensor for it.
    const std::string tensor_name = "@" + name;
    if (!scope.builder.find(tensor_name)) {
        const Variable& state = graph_.variables[*variable];
        Tensor tensor;
        tensor.name = graph_.own_text(tensor_name);
        tensor.type = state.type;
        tensor.shape = state.shape;
        tensor.variable = *variable;
        scope.builder.declare(std::move(tensor));
    }
    const std::vector<TensorIndex> results = define_results(scope, op);
    scope.builder.add(code, VariableAttributes{*variable}, operand_tensors(op), results);
}

void MlirModuleParser::lower_terminator(Scope& scope, MlirOperation& op) {
    const bool is_return = scope.outer == nullptr;
    if (is_return != (op.name != "tosa.yield")) {
        report_.error(op.start, is_return ? "a function ends with 'return'"
                                          : "a region of tosa ends with 'tosa.yield'");
        throw SyntaxBreak{};
    }
    scope.builder.block().outputs = operand_tensors(op);
    if (!is_return || !is_signature_known_) return;
    if (op.operands.size() != function_results_.size()) {
        report_.error(op.start, counted(op.operands.size(), "value") +
                                    " returned; the function has " +
                                    counted(function_results_.size(), "result"));
        throw SyntaxBreak{};
    }
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
        if (op.operand_types[i].same_value(function_results_[i])) {
            const TensorIndex output = op.operands[i].tensor;
            scope.builder.block().tensors[output].words = function_results_[i].words;
            continue;
        }
        report_.error(op.start, "the returned value is " + described(op.operand_types[i]) +
                                    "; the function's result is " +
                                    described(function_results_[i]));
        throw SyntaxBreak{};
    }
}

}  // namespace okksim::sim::graph
