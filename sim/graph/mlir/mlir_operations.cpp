// SPDX-License-Identifier: Apache-2.0
// Operations in generic and in pretty form.
#include <algorithm>
#include <charconv>

#include "sim/graph/mlir/mlir_fields.h"
#include "sim/graph/mlir/mlir_module.h"
#include "sim/graph/mlir/mlir_older.h"

namespace okksim::sim::graph {

namespace {

constexpr std::string_view kDialect = "tosa.";
constexpr std::string_view kApplyScale = "tosa.apply_scale";

bool is_terminator(std::string_view name) {
    return name == "tosa.yield" || name == "return" || name == "func.return";
}

}  // namespace

void MlirModuleParser::parse_results(MlirOperation& op) {
    if (lexer_.token().kind != MlirTokenKind::kValue) return;
    do {
        const MlirToken token = lexer_.expect_kind(MlirTokenKind::kValue, "a result, %name");
        MlirOperation::Result result{token.text, token.at, 1};
        if (lexer_.accept(":")) {
            const MlirToken count =
                lexer_.expect_kind(MlirTokenKind::kNumber, "a number of results");
            std::from_chars(count.text.data(), count.text.data() + count.text.size(), result.count);
        }
        op.results.push_back(result);
    } while (lexer_.accept(","));
    lexer_.expect("=", "and an operation");
}

void MlirModuleParser::parse_attributes(MlirOperation& op) {
    if (lexer_.accept("<")) {
        lexer_.expect("{", "and properties");
        values_.parse_dictionary("}", op.attributes);
        lexer_.expect(">", "after the properties");
    }
    lexer_.accept("attributes");
    if (lexer_.accept("{")) values_.parse_dictionary("}", op.attributes);
}

/// Names the blocks as the notes say.
void MlirModuleParser::name_blocks(const MlirOperation& op) {
    for (std::size_t i = 0; i < op.regions.size(); ++i) {
        const MlirAttribute* name = op.find(block_note(i));
        if (name == nullptr || name->kind != MlirAttribute::Kind::kString) continue;
        blocks_[op.regions[i].block].name = unquoted(name->text);
    }
}

void MlirModuleParser::parse_generic(Scope& scope, MlirOperation& op) {
    lexer_.expect("(", "and operands");
    parse_operands(scope, op, ")");
    if (lexer_.at("[")) report_.fatal(lexer_.token().at, "operations of tosa have no successors");
    parse_attributes(op);
    if (lexer_.accept("(")) {
        do {
            op.regions.push_back(parse_region(scope, op, {},
                                              std::string(op.name) + "_" +
                                                  std::to_string(next_index_) + "_" +
                                                  std::to_string(op.regions.size())));
        } while (lexer_.accept(","));
        lexer_.expect(")", "after the regions");
        parse_attributes(op);
    }
    parse_types(op);
}

void MlirModuleParser::parse_types(MlirOperation& op) {
    lexer_.expect(":", "and the types of operands and results");
    const std::size_t at = lexer_.token().at;
    const bool is_bare = !lexer_.at("(");
    if (is_bare) {
        do {
            op.operand_types.push_back(values_.parse_type());
        } while (lexer_.accept(","));
    } else {
        op.operand_types = values_.parse_type_list(false);
    }
    if (is_bare && !lexer_.at("->") && take_common_type(op, at)) return;
    lexer_.expect("->", "and the types of the results");
    if (is_bare) {
        report_.warning(at, "the types of operands stand in parentheses in the dialect");
    }
    op.result_types = values_.parse_type_list(true);
}

/// Accepts one common ": type", as other dialects write it, for an operation whose operands and
/// results must have the same type.
bool MlirModuleParser::take_common_type(MlirOperation& op, std::size_t at) {
    const bool is_meant =
        op.operand_types.size() == 1 && !op.operands.empty() && op.code && has_one_type(*op.code);
    if (!is_meant) return false;
    report_.warning(at,
                    "the one type is read as that of operands and result: the dialect has "
                    "(types) -> type");
    op.result_types = op.operand_types;
    op.operand_types.resize(op.operands.size(), op.result_types[0]);
    return true;
}

std::vector<MlirModuleParser::Argument> MlirModuleParser::parse_assignments(Scope& scope,
                                                                            MlirOperation& op) {
    std::vector<Argument> arguments;
    if (!lexer_.accept("(")) return arguments;
    if (lexer_.accept(")")) return arguments;
    do {
        const MlirToken name = lexer_.expect_kind(MlirTokenKind::kValue, "an argument, %name");
        lexer_.expect("=", "and the value of the argument");
        parse_operand(scope, op);
        arguments.push_back({name.text, name.at, {}});
    } while (lexer_.accept(","));
    lexer_.expect(")", "after the arguments");
    return arguments;
}

void MlirModuleParser::parse_cond_if(Scope& scope, MlirOperation& op) {
    parse_operand(scope, op);
    std::vector<Argument> arguments = parse_assignments(scope, op);
    lexer_.expect(":", "and the type of the condition");
    op.operand_types.push_back(values_.parse_type());
    if (lexer_.at("(")) {
        for (MlirType& type : values_.parse_type_list(false)) {
            op.operand_types.push_back(std::move(type));
        }
    }
    if (lexer_.accept("->")) op.result_types = values_.parse_type_list(true);
    for (std::size_t i = 0; i < arguments.size() && i + 1 < op.operand_types.size(); ++i) {
        arguments[i].type = op.operand_types[i + 1];
    }
    const std::string name = "cond_if_" + std::to_string(next_index_);
    op.regions.push_back(parse_region(scope, op, arguments, name + "_then"));
    lexer_.expect("else", "and the region of the other case");
    op.regions.push_back(parse_region(scope, op, arguments, name + "_else"));
    parse_attributes(op);
}

void MlirModuleParser::parse_while_loop(Scope& scope, MlirOperation& op) {
    std::vector<Argument> arguments = parse_assignments(scope, op);
    lexer_.expect(":", "and the types of the loop's values");
    op.operand_types = values_.parse_type_list(true);
    if (lexer_.accept("->")) op.result_types = values_.parse_type_list(true);
    for (std::size_t i = 0; i < std::min(arguments.size(), op.operand_types.size()); ++i) {
        arguments[i].type = op.operand_types[i];
    }
    const std::string name = "while_loop_" + std::to_string(next_index_);
    op.regions.push_back(parse_region(scope, op, arguments, name + "_cond"));
    lexer_.expect("do", "and the body of the loop");
    op.regions.push_back(parse_region(scope, op, arguments, name + "_body"));
    parse_attributes(op);
}

void MlirModuleParser::parse_terminator(Scope& scope, MlirOperation& op) {
    if (lexer_.token().kind == MlirTokenKind::kValue) {
        parse_operands(scope, op, "");
        lexer_.expect(":", "and the types of the values");
        do {
            op.operand_types.push_back(values_.parse_type());
        } while (lexer_.accept(","));
    }
    parse_attributes(op);
}

/// Parses tosa.variable_read @name : type; tosa.variable_write @name, %value : type.
void MlirModuleParser::parse_variable_access(Scope& scope, MlirOperation& op) {
    MlirNamedAttribute name{"name", lexer_.token().at, {}};
    name.value.kind = MlirAttribute::Kind::kSymbol;
    name.value.at = lexer_.token().at;
    name.value.text = lexer_.expect_kind(MlirTokenKind::kSymbol, "the variable's name, @name").text;
    op.attributes.push_back(name);
    const bool is_write = op.name == "tosa.variable_write";
    if (is_write) {
        lexer_.expect(",", "and the value");
        parse_operand(scope, op);
    }
    parse_attributes(op);
    lexer_.expect(":", "and the type of the value");
    (is_write ? op.operand_types : op.result_types).push_back(values_.parse_type());
}

void MlirModuleParser::parse_pretty(Scope& scope, MlirOperation& op) {
    if (is_terminator(op.name)) return parse_terminator(scope, op);
    if (op.name == "tosa.cond_if") return parse_cond_if(scope, op);
    if (op.name == "tosa.while_loop") return parse_while_loop(scope, op);
    if (op.name == "tosa.variable_read" || op.name == "tosa.variable_write") {
        return parse_variable_access(scope, op);
    }
    if (lexer_.at("(")) {
        report_.warning(lexer_.token().at, "operands stand without parentheses in this form");
        lexer_.take();
        parse_operands(scope, op, ")");
    } else if (lexer_.token().kind == MlirTokenKind::kValue) {
        parse_operands(scope, op, "");
    }
    parse_attributes(op);
    parse_types(op);
}

/// Finds the TOSA operator of the operation, also by its former name.
void MlirModuleParser::find_code(MlirOperation& op) {
    op.code = find_operation(op.name.substr(kDialect.size()));
    const std::string_view present = present_name(op.name);
    if (op.code || present == op.name) return;
    report_.warning(op.at, "'" + std::string(op.name) + "' is read as '" + std::string(present) +
                               "', its name since TOSA 1.0");
    op.name = present;
    op.code = find_operation(op.name.substr(kDialect.size()));
}

void MlirModuleParser::parse_operation(Scope& scope) {
    MlirOperation op;
    op.start = lexer_.token().at;
    try {
        parse_results(op);
        const MlirToken name = lexer_.token();
        op.at = name.at;
        const bool is_generic = name.kind == MlirTokenKind::kString;
        if (!is_generic && name.kind != MlirTokenKind::kWord) lexer_.unexpected("an operation");
        if (scope.has_ended) {
            report_.error(op.start, "an operation after the end of its block");
        }
        lexer_.take();
        op.name = is_generic ? name.text.substr(1, name.text.size() - 2) : name.text;
        if (!op.name.starts_with(kDialect) && !is_terminator(op.name)) {
            const bool is_call = op.name == "func.call" || op.name == "call";
            report_.refuse(name.at, std::string(op.name),
                           "'" + std::string(op.name) +
                               (is_call ? "' calls a function: inline it first, mlir-opt --inline"
                                        : "' is not of the dialect tosa: lower the model to tosa "
                                          "completely"));
        }
        if (!is_terminator(op.name)) find_code(op);
        if (op.name == kApplyScale) {
            report_.refuse(op.at, std::string(kApplyScale),
                           "'tosa.apply_scale' computes on scalars inside kernels; use "
                           "tosa.rescale for tensors");
        }
        if (!op.code && !is_terminator(op.name)) refuse_unknown(op);
        is_generic ? parse_generic(scope, op) : parse_pretty(scope, op);
        op.location = values_.parse_location();
        name_blocks(op);
    } catch (const SyntaxBreak&) {
        break_results(scope, op);
        throw;
    }
    lower(scope, op);
}

}  // namespace okksim::sim::graph
