// SPDX-License-Identifier: Apache-2.0
// Functions, their arguments and regions.
#include <algorithm>

#include "sim/files/mapped_file.h"
#include "sim/graph/mlir/mlir_module.h"

namespace okksim::sim::graph {

namespace {

/// Explains why a value of the type is not supported, with advice.
std::string why_not_computed(const MlirType& type) {
    if (type.kind != MlirType::Kind::kOther) {
        return " is no tensor: graphs compute with tensors, scalars belong inside kernels";
    }
    struct Advice {
        std::string_view beginning;
        std::string_view what_to_do;
    };
    static constexpr Advice kAdvice[] = {
        {"memref", "a buffer: take the text from before bufferization, where it is a tensor"},
        {"tuple", "several values: make each value a separate argument"},
        {"vector", "a value inside kernels: take the text from before vectorization"},
        {"complex", "a complex number: pass its parts as two tensors"},
        {"", "of another dialect: lower the model to tosa completely"}};
    const auto* const advice =
        std::find_if(std::begin(kAdvice), std::end(kAdvice),
                     [&](const Advice& row) { return type.spelling.starts_with(row.beginning); });
    return " has the type " + std::string(type.spelling) +
           ", but graphs compute only with tensors; it is " + std::string(advice->what_to_do);
}

}  // namespace

void MlirModuleParser::begin_function(std::string name, std::size_t at) {
    functions_.push_back({std::move(name), {}});
    const bool is_new = function_names_.insert(static_cast<std::uint32_t>(functions_.size() - 1));
    if (!is_new) report_.error(at, "a second function @" + functions_.back().name);
    blocks_.clear();
    next_index_ = 0;
}

/// Only one function is kept: the user's choice, "main", or the first one.
void MlirModuleParser::end_function() {
    MlirFunction& function = functions_.back();
    const std::string& wanted = options_.function;
    const bool is_only = wanted.empty() && functions_.size() == 1;
    if (!is_only && function.name != (wanted.empty() ? "main" : wanted)) return;
    functions_.front().blocks.clear();
    for (Block& block : blocks_) function.blocks.push_back(std::move(block));
}

/// Errors in a function that will not run are warnings, so that another function can run.
std::string MlirModuleParser::aside_text(std::string_view function) const {
    if (is_wanted(function)) return {};
    return "in @" + std::string(function) + ", which does not run: ";
}

void MlirModuleParser::parse_function(std::size_t at) {
    for (const char* word : {"public", "private", "nested"}) lexer_.accept(word);
    const MlirToken token =
        lexer_.expect_kind(MlirTokenKind::kSymbol, "the function's name, @name");
    const std::string name = symbol_name(token.text);
    is_wanted_ = is_wanted(name);
    const TextReport::Aside aside(report_, aside_text(name));
    std::vector<Argument> arguments;
    is_signature_known_ = true;
    try {
        arguments = parse_signature();
    } catch (const SyntaxBreak&) {
        // The body is still parsed, to list its unsupported operations.
        is_damaged_ = true;
        is_signature_known_ = false;
        if (!lexer_.find_body(token.at)) {
            lexer_.resume(token.at);
            throw;
        }
    }
    if (!lexer_.at("{")) {  // a declaration
        values_.parse_location();
        return;
    }
    lexer_.take();
    begin_function(name, at);
    parse_body(nullptr, nullptr, arguments, "main");
    end_function();
    lexer_.expect("}");
    values_.parse_location();
}

std::vector<MlirModuleParser::Argument> MlirModuleParser::parse_signature() {
    lexer_.expect("(", "and the function's arguments");
    std::vector<Argument> arguments = parse_arguments(")");
    function_results_.clear();
    if (lexer_.accept("->")) function_results_ = values_.parse_type_list(true);
    if (lexer_.accept("attributes")) {
        lexer_.expect("{");
        std::vector<MlirNamedAttribute> attributes;
        values_.parse_dictionary("}", attributes);
    }
    return arguments;
}

void MlirModuleParser::parse_generic_function(const std::vector<MlirNamedAttribute>& attributes,
                                              std::size_t at) {
    std::string name;
    function_results_.clear();
    for (const MlirNamedAttribute& attribute : attributes) {
        if (attribute.name == "sym_name" && attribute.value.kind == MlirAttribute::Kind::kString) {
            name = unquoted(attribute.value.text);
        }
        if (attribute.name == "function_type") function_results_ = attribute.value.type.results;
    }
    if (name.empty()) report_.fatal(at, "'func.func' needs the attribute 'sym_name'");
    is_signature_known_ = true;
    is_wanted_ = is_wanted(name);
    const TextReport::Aside aside(report_, aside_text(name));
    begin_function(name, at);
    parse_body(nullptr, nullptr, {}, "main");
    end_function();
}

/// Parses "%name: type {attributes} loc(...)", ... and the closing bracket `close`.
std::vector<MlirModuleParser::Argument> MlirModuleParser::parse_arguments(std::string_view close) {
    std::vector<Argument> arguments;
    if (lexer_.accept(close)) return arguments;
    do {
        Argument argument;
        if (lexer_.token().kind == MlirTokenKind::kValue) {
            argument.name = lexer_.token().text;
            argument.at = lexer_.take().at;
            lexer_.expect(":", "and the type of the argument");
        } else {
            argument.at = lexer_.token().at;  // a declaration has only types
        }
        argument.type = values_.parse_type();
        argument.type.words = values_.parse_notes(argument.type);
        values_.parse_location();
        arguments.push_back(std::move(argument));
    } while (lexer_.accept(","));
    lexer_.expect(close, "after the arguments");
    return arguments;
}

void MlirModuleParser::define_arguments(Scope& scope, const MlirOperation* op,
                                        std::vector<Argument>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        Argument& argument = arguments[i];
        if (argument.type.open_at != 0) {
            op == nullptr ? close_input(argument, arguments)
                          : close_argument(*scope.outer, *op, i, argument.type);
        }
        if (!argument.type.is_value()) {
            report_.error(argument.at, "the argument " + std::string(argument.name) +
                                           why_not_computed(argument.type));
        }
        Tensor tensor;
        if (!argument.name.empty()) tensor.name = name_in_text(argument.name);
        tensor.type = argument.type.type;
        tensor.shape = argument.type.shape;
        tensor.is_unsigned = argument.type.is_unsigned;
        tensor.words = argument.type.words;
        const auto index = scope.builder.declare(std::move(tensor));
        if (!index) {
            report_.error(argument.at, "a second argument " + std::string(argument.name));
            continue;
        }
        if (!argument.type.is_value()) scope.others[argument.name] = {*index, 1, true};
        scope.builder.block().inputs.push_back(*index);
    }
}

void MlirModuleParser::parse_block_label(std::vector<Argument>& arguments) {
    if (lexer_.at("^")) report_.fatal(lexer_.token().at, "expected the name of a block after '^'");
    if (lexer_.token().kind != MlirTokenKind::kBlock) return;
    lexer_.take();
    // The label's arguments replace those that the operation names.
    if (lexer_.accept("(")) arguments = parse_arguments(")");
    lexer_.expect(":", "after the label of the block");
}

/// Earlier text is rarely read again; if it is, its pages are loaded again at the same address.
void MlirModuleParser::forget_text() {
    constexpr std::size_t kStep = 8 << 20;
    const std::size_t at = lexer_.token().at;
    if (at < forgotten_ + kStep) return;
    forgotten_ = at;
    unmap_pages(std::as_bytes(std::span(lexer_.text().substr(0, at))));
}

BlockReference MlirModuleParser::parse_body(Scope* outer, const MlirOperation* op,
                                            const std::vector<Argument>& implied,
                                            const std::string& name) {
    const NestingGuard guard(depth_, lexer_);
    const auto position = static_cast<std::uint32_t>(blocks_.size());
    Block& block = blocks_.emplace_back();
    block.name = name;
    block.file = file_;
    Scope scope(graph_, block, outer);
    std::vector<Argument> arguments = implied;
    parse_block_label(arguments);
    define_arguments(scope, op, arguments);
    while (!lexer_.at("}")) {
        if (lexer_.token().kind == MlirTokenKind::kEnd) {
            lexer_.unexpected("'}' at the end of the region");
        }
        const std::size_t start = lexer_.token().at;
        try {
            if (lexer_.at("^") || lexer_.token().kind == MlirTokenKind::kBlock) {
                report_.fatal(lexer_.token().at, lexer_.at("^")
                                                     ? "expected the name of a block after '^'"
                                                     : "regions of tosa have one block");
            }
            parse_operation(scope);
            forget_text();
        } catch (const SyntaxBreak&) {
            scope.is_damaged = true;
            lexer_.recover(start, MlirLexer::Level::kOperations);
        }
    }
    if (!scope.has_ended && !scope.is_damaged) {
        report_.error(lexer_.token().at, outer == nullptr ? "expected 'return' before the end"
                                                          : "expected 'tosa.yield' before the end");
    }
    return {0, position};
}

BlockReference MlirModuleParser::parse_region(Scope& outer, const MlirOperation& op,
                                              const std::vector<Argument>& arguments,
                                              const std::string& name) {
    lexer_.expect("{", "and a region");
    const BlockReference block = parse_body(&outer, &op, arguments, name);
    lexer_.expect("}");
    return block;
}

}  // namespace okksim::sim::graph
