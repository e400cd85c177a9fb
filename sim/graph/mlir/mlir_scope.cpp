// SPDX-License-Identifier: Apache-2.0
// Values by name: looks up operands and defines results.
#include <algorithm>
#include <charconv>

#include "sim/graph/mlir/mlir_module.h"

namespace okksim::sim::graph {

std::optional<MlirModuleParser::Scope::Definition> MlirModuleParser::Scope::find(
    std::string_view name) const {
    if (!others.empty()) {
        const auto found = others.find(name);
        if (found != others.end()) return found->second;
    }
    const auto tensor = builder.find(name.substr(1));
    if (!tensor || builder.tensor(*tensor).is_capture) return std::nullopt;
    return Definition{*tensor, 1, false};
}

std::optional<MlirModuleParser::Scope::Definition> MlirModuleParser::find(Scope& scope,
                                                                          std::string_view name,
                                                                          Scope** owner) {
    for (Scope* at = &scope; at != nullptr; at = at->outer) {
        const auto found = at->find(name);
        if (!found) continue;
        *owner = at;
        return found;
    }
    return std::nullopt;
}

void MlirModuleParser::parse_operand(Scope& scope, MlirOperation& op) {
    const MlirToken token = lexer_.expect_kind(MlirTokenKind::kValue, "a value, %name");
    std::uint64_t number = 0;
    // The lexer reads "#1" of %name#1 as one token or as two.
    if (lexer_.token().text.starts_with("#") && lexer_.token().at == token.at + token.text.size()) {
        const std::string_view digits =
            lexer_.token().text.size() > 1 ? lexer_.token().text.substr(1) : std::string_view();
        std::string_view text = digits;
        lexer_.take();
        if (text.empty()) text = lexer_.expect_kind(MlirTokenKind::kNumber, "a result number").text;
        std::from_chars(text.data(), text.data() + text.size(), number);
    }
    Scope* owner = nullptr;
    const auto definition = find(scope, token.text, &owner);
    op.operands.push_back({0, token.at});
    if (!definition && !is_signature_known_) {
        op.is_broken = true;
        return;
    }
    if (!definition) {
        report_.error(token.at,
                      "the value " + std::string(token.text) +
                          " is not defined before this position, or is defined in another region");
        op.is_broken = true;
        return;
    }
    if (definition->is_broken) {
        op.is_broken = true;
        return;
    }
    if (number >= definition->count) {
        report_.error(token.at, std::string(token.text) + " has " +
                                    counted(definition->count, "result") + "; number " +
                                    std::to_string(number) + " does not exist");
        op.is_broken = true;
        return;
    }
    TensorIndex index = definition->first + static_cast<TensorIndex>(number);
    if (owner != &scope) {
        index = scope.builder.find_or_capture(owner->builder.tensor(index).name);
    }
    op.operands.back().tensor = index;
}

void MlirModuleParser::parse_operands(Scope& scope, MlirOperation& op, std::string_view close) {
    if (!close.empty() && lexer_.accept(close)) return;
    do {
        parse_operand(scope, op);
    } while (lexer_.accept(","));
    if (!close.empty()) lexer_.expect(close, "after the operands");
}

void MlirModuleParser::break_results(Scope& scope, const MlirOperation& op) {
    for (const MlirOperation::Result& result : op.results) {
        if (result.name.empty()) continue;  // stands for results that the text does not name
        if (!scope.find(result.name)) scope.others[result.name] = {0, result.count, true};
    }
}

/// Returns a value's name without its sign.
Name MlirModuleParser::name_in_text(std::string_view name) {
    bool& has_escapes = functions_.back().has_escaped_names;
    has_escapes = has_escapes || name.find('$') != std::string_view::npos;
    return Name(name.substr(1));
}

/// Results without a name are values, too.
Name MlirModuleParser::value_name(const MlirOperation& op, const MlirOperation::Result& result,
                                  std::size_t position, std::uint64_t n) {
    if (result.name.empty()) {
        return graph_.own_text("_" + std::to_string(op.at) + "_" + std::to_string(position));
    }
    const Name name = name_in_text(result.name);
    return result.count == 1 ? name : graph_.own_text(name + ("#" + std::to_string(n)));
}

std::vector<TensorIndex> MlirModuleParser::define_results(Scope& scope, MlirOperation& op) {
    std::uint64_t named = 0;
    for (const MlirOperation::Result& result : op.results) {
        named += std::min<std::uint64_t>(result.count, op.result_types.size() + 1);
    }
    if (named != op.result_types.size() && !(op.results.empty())) {
        report_.error(op.start, "the operation has " + counted(op.result_types.size(), "result") +
                                    "; the text names " + std::to_string(named));
        throw SyntaxBreak{};
    }
    if (op.results.empty()) {
        for (std::size_t i = 0; i < op.result_types.size(); ++i)
            op.results.push_back({{}, op.at, 1});
    }
    std::vector<TensorIndex> tensors;
    for (const MlirOperation::Result& result : op.results) {
        Scope* owner = nullptr;
        const bool is_taken = !result.name.empty() && find(scope, result.name, &owner);
        for (std::uint64_t n = 0; n < result.count; ++n) {
            MlirType& type = op.result_types[tensors.size()];
            if (type.open_at != 0) close_result(scope, op, tensors.size(), type);
            if (type.is_value() && type.type == DType::kUnknown) throw SyntaxBreak{};  // reported
            if (!type.is_value()) {
                report_.error(op.at, "the result of '" + std::string(op.name) + "' is no tensor");
                throw SyntaxBreak{};
            }
            Tensor tensor;
            tensor.name = value_name(op, result, tensors.size(), n);
            tensor.type = type.type;
            tensor.shape = type.shape;
            tensor.is_unsigned = type.is_unsigned;
            const auto index = scope.builder.declare(std::move(tensor));
            if (!index || is_taken) {
                report_.error(result.at,
                              "the value " + std::string(result.name) + " is defined twice");
                throw SyntaxBreak{};
            }
            tensors.push_back(*index);
        }
        if (result.name.empty()) continue;
        if (result.count == 1) continue;
        scope.others[result.name] = {tensors.back() + 1 - static_cast<TensorIndex>(result.count),
                                     result.count, false};
    }
    return tensors;
}

std::vector<TensorIndex> MlirModuleParser::operand_tensors(const MlirOperation& op) const {
    std::vector<TensorIndex> tensors;
    for (const MlirOperation::Operand& operand : op.operands) tensors.push_back(operand.tensor);
    return tensors;
}

}  // namespace okksim::sim::graph
