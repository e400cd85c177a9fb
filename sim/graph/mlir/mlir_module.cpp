// SPDX-License-Identifier: Apache-2.0
// Modules, functions, regions.
#include "sim/graph/mlir/mlir_module.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "sim/graph/mlir/mlir_fields.h"

namespace okksim::sim::graph {

std::vector<MlirFunction> read_mlir_module(std::string_view text, const ReadOptions& options,
                                           Graph& graph, TextReport& report) {
    std::vector<MlirFunction> functions;
    try {
        functions = MlirModuleParser(text, options, graph, report).parse();
    } catch (const SyntaxBreak&) {  // already reported
    }
    report.finish();
    return functions;
}

std::vector<MlirFunction> MlirModuleParser::parse() {
    parse_module_items(false);
    values_.check_unread_resources();
    // Items that could not be parsed may contain the missing declarations.
    if (!is_damaged_ || !report_.has_problems()) refuse_undeclared_variables();
    return std::move(functions_);
}

/// An unsupported item does not prevent the user's chosen function from running.
void MlirModuleParser::refuse_item(std::size_t at, const std::string& what,
                                   const std::string& message) {
    const TextReport::Aside aside(report_,
                                  options_.function.empty() ? "" : "next to the function: ");
    report_.refuse(at, what, message);
}

void MlirModuleParser::parse_module_items(bool is_nested) {
    for (;;) {
        if (lexer_.token().kind == MlirTokenKind::kEnd) {
            if (is_nested && !is_damaged_) lexer_.unexpected("'}' at the end of the module");
            return;
        }
        if (is_nested && lexer_.at("}")) return;
        const std::size_t start = lexer_.token().at;
        try {
            parse_module_item();
        } catch (const SyntaxBreak& problem) {
            // The brackets of a damaged item need not match.
            is_damaged_ = is_damaged_ || !problem.is_unread;
            problem.is_unread ? lexer_.recover(start, MlirLexer::Level::kModuleItems)
                              : lexer_.skip_lines(MlirLexer::Level::kModuleItems);
        }
    }
}

void MlirModuleParser::parse_module_item() {
    const MlirToken token = lexer_.token();
    if (token.kind == MlirTokenKind::kAttribute || token.kind == MlirTokenKind::kType) {
        values_.parse_alias();
    } else if (token.text == "{-#") {
        values_.parse_resources();
    } else if (token.kind == MlirTokenKind::kString) {
        parse_generic_module_item();
    } else if (lexer_.accept("module") || lexer_.accept("builtin.module")) {
        parse_module();
    } else if (lexer_.accept("func.func")) {
        parse_function(token.at);
    } else if (lexer_.accept("tosa.variable")) {
        parse_variable(token.at);
    } else if (token.kind == MlirTokenKind::kWord &&
               token.text.find('.') != std::string_view::npos) {
        refuse_item(token.at, std::string(token.text),
                    "'" + std::string(token.text) +
                        "' is not read here: a module has func.func and tosa.variable");
    } else {
        lexer_.unexpected("a module, a function, a variable or an alias");
    }
}

void MlirModuleParser::read_module_notes(const std::vector<MlirNamedAttribute>& attributes) {
    for (const MlirNamedAttribute& attribute : attributes) {
        if (attribute.name == kLocationsNote) has_all_locations_ = true;
    }
}

void MlirModuleParser::parse_module() {
    if (lexer_.token().kind == MlirTokenKind::kSymbol) lexer_.take();
    if (lexer_.accept("attributes")) {
        lexer_.expect("{");
        std::vector<MlirNamedAttribute> attributes;
        values_.parse_dictionary("}", attributes);
        read_module_notes(attributes);
    }
    lexer_.expect("{", "and the module's body");
    const NestingGuard guard(depth_, lexer_);
    parse_module_items(true);
    if (lexer_.token().kind == MlirTokenKind::kEnd) return;  // already reported
    lexer_.expect("}");
    values_.parse_location();
}

/// Reads ahead: in the older form, the function's name follows its region.
std::vector<MlirNamedAttribute> MlirModuleParser::attributes_behind_region() {
    std::vector<MlirNamedAttribute> attributes;
    const MlirLexer::Detour detour(lexer_, lexer_.token().at);
    values_.skip_balanced();
    if (lexer_.accept("{")) values_.parse_dictionary("}", attributes);
    return attributes;
}

/// Parses "name"() <{...}> ({...}) : () -> (): module, func or variable.
void MlirModuleParser::parse_generic_module_item() {
    const MlirToken name = lexer_.take();
    const bool is_read = name.text == "\"builtin.module\"" || name.text == "\"func.func\"" ||
                         name.text == "\"tosa.variable\"";
    if (!is_read) {
        refuse_item(name.at, unquoted(name.text),
                    std::string(name.text) + " is not read at the level of a module");
    }
    lexer_.expect("(", "and operands");
    lexer_.expect(")");
    std::vector<MlirNamedAttribute> attributes;
    if (lexer_.accept("<")) {
        lexer_.expect("{");
        values_.parse_dictionary("}", attributes);
        lexer_.expect(">");
    }
    const auto attributes_behind = [&] {
        if (lexer_.accept("{")) values_.parse_dictionary("}", attributes);
    };
    if (name.text == "\"builtin.module\"") {
        lexer_.expect("(", "and the module's region");
        lexer_.expect("{");
        if (lexer_.token().kind == MlirTokenKind::kBlock) {
            lexer_.take();
            lexer_.expect(":");
        }
        const NestingGuard guard(depth_, lexer_);
        parse_module_items(true);
        if (lexer_.token().kind == MlirTokenKind::kEnd) return;  // already reported
        lexer_.expect("}");
        lexer_.expect(")");
        attributes_behind();
        read_module_notes(attributes);
    } else if (name.text == "\"func.func\"") {
        if (attributes.empty() && lexer_.at("(")) attributes = attributes_behind_region();
        lexer_.expect("(", "and the function's region");
        lexer_.expect("{");
        parse_generic_function(attributes, name.at);
        lexer_.expect("}");
        lexer_.expect(")");
        attributes.clear();  // repeated names are those that have been read above
        attributes_behind();
    } else {
        attributes_behind();
        const MlirAttribute* symbol = nullptr;
        const MlirAttribute* type = nullptr;
        const MlirAttribute* shape = nullptr;
        const MlirAttribute* value = nullptr;
        for (const MlirNamedAttribute& attribute : attributes) {
            if (attribute.name == "sym_name" || attribute.name == "name") symbol = &attribute.value;
            if (attribute.name == "type") type = &attribute.value;
            if (attribute.name == "var_shape") shape = &attribute.value;
            if (attribute.name == "initial_value") value = &attribute.value;
        }
        if (symbol == nullptr || symbol->kind != MlirAttribute::Kind::kString || type == nullptr) {
            report_.fatal(name.at, "'tosa.variable' needs the attributes 'sym_name' and 'type'");
        }
        MlirType of = type->type;
        if (of.kind == MlirType::Kind::kElement) {
            of.kind = MlirType::Kind::kTensor;
            if (shape != nullptr && shape->kind == MlirAttribute::Kind::kElements) {
                const std::span<const std::byte> dimensions = shape->data;
                for (std::size_t i = 0; i + 8 <= dimensions.size(); i += 8) {
                    std::int64_t dimension = 0;
                    std::memcpy(&dimension, &dimensions[i], sizeof dimension);
                    of.shape.push_back(dimension);
                }
            }
        }
        declare_variable(unquoted(symbol->text), name.at, of, value);
    }
    lexer_.expect(":", "and the types");
    values_.parse_type();
    values_.parse_location();
}

void MlirModuleParser::parse_variable(std::size_t at) {
    const MlirToken name = lexer_.expect_kind(MlirTokenKind::kSymbol, "the variable's name, @name");
    if (lexer_.accept("=")) {
        const MlirAttribute value = values_.parse_attribute();
        if (value.kind != MlirAttribute::Kind::kElements) {
            report_.fatal(value.at, "expected dense<...> with the initial value");
        }
        declare_variable(symbol_name(name.text), at, value.type, &value);
    } else {
        lexer_.expect(":", "and the variable's type, or '=' and its value");
        declare_variable(symbol_name(name.text), at, values_.parse_type(), nullptr);
    }
    values_.parse_location();
}

void MlirModuleParser::declare_variable(std::string_view name, std::size_t at, const MlirType& type,
                                        const MlirAttribute* value) {
    if (type.open_at != 0) {
        report_.error(type.open_at,
                      "the shape of the variable @" + std::string(name) +
                          " is open, because no input gives it a shape. Write the whole shape in "
                          "its declaration and in every read and write");
        return;
    }
    State& state = variables_[std::string(name)];
    if (state.is_declared) {
        report_.error(at, "a second variable @" + std::string(name));
        return;
    }
    state.is_declared = true;
    if (state.used_at == 0) state.index = add_variable(name, type);
    Variable& variable = graph_.variables[state.index];
    if (variable.type != type.type || variable.shape != type.shape) {
        report_.error(at, "the variable @" + std::string(name) + " is " +
                              std::string(element_word(type.type)) + " " + shape_text(type.shape) +
                              " here, but another type at " + report_.place(state.used_at));
    }
    if (value != nullptr) variable.initial_value = value->data;
}

std::uint32_t MlirModuleParser::add_variable(std::string_view name, const MlirType& type) {
    Variable variable;
    variable.name = name;
    variable.uid = name;
    variable.type = type.type;
    variable.shape = type.shape;
    graph_.variables.push_back(std::move(variable));
    return static_cast<std::uint32_t>(graph_.variables.size() - 1);
}

/// Returns the state of that name, for a read or write of a value of `type`. Returns nothing if the
/// module cannot have such a state.
std::optional<std::uint32_t> MlirModuleParser::find_variable(const std::string& name,
                                                             const MlirType& type, std::size_t at) {
    const auto known = variables_.find(name);
    if (known != variables_.end()) return known->second.index;
    if (!is_wanted_ || type.kind != MlirType::Kind::kTensor || type.open_at != 0) {
        return std::nullopt;
    }
    const std::uint32_t index = add_variable(name, type);
    variables_.emplace(name, State{index, at});
    return index;
}

void MlirModuleParser::refuse_undeclared_variables() {
    std::map<std::size_t, std::string> missing;
    for (const auto& [name, state] : variables_) {
        if (!state.is_declared) missing.emplace(state.used_at, name);
    }
    for (const auto& [at, name] : missing) report_.error(at, "the module has no variable @" + name);
}

}  // namespace okksim::sim::graph
