// SPDX-License-Identifier: Apache-2.0
// Locations and their text for messages.
#include "sim/graph/mlir/mlir_parser.h"

namespace okksim::sim::graph {

/// Parses the rest of "name", "name":line:column, "name"(location) after the name.
std::string MlirValueParser::parse_file_location(const MlirToken& name) {
    std::string text = unquoted(name.text);
    if (lexer_.accept("(")) {
        parse_location_body();
        lexer_.expect(")");
        return text;
    }
    if (!lexer_.accept(":")) return text;
    text += ":" + std::string(lexer_.expect_kind(MlirTokenKind::kNumber, "a line").text);
    lexer_.expect(":", "and a column");
    text += ":" + std::string(lexer_.expect_kind(MlirTokenKind::kNumber, "a column").text);
    if (!lexer_.accept("to")) return text;
    while (lexer_.at(":") || lexer_.token().kind == MlirTokenKind::kNumber) lexer_.take();
    return text;
}

/// Parses the rest of fused<metadata>[location, ...] after "fused"; returns the first nonempty
/// location.
std::string MlirValueParser::parse_fused_location() {
    if (lexer_.accept("<")) {
        const PassedOver guard(passed_over_);
        parse_attribute();
        lexer_.expect(">");
    }
    lexer_.expect("[");
    if (lexer_.accept("]")) return {};
    std::string text;
    do {
        const std::string part = parse_location_body();
        if (text.empty()) text = part;
    } while (lexer_.accept(","));
    lexer_.expect("]");
    return text;
}

std::string MlirValueParser::parse_location_alias(const MlirToken& name) {
    find_aliases();
    const auto known = locations_.find(name.text);
    if (known != locations_.end()) return known->second;
    const auto alias = aliases_.find(name.text);
    if (alias == aliases_.end()) {
        if (lexer_.at("<")) skip_balanced();  // of another dialect
        return {};
    }
    // Locations do not affect the result, so only a short chain of aliases is followed.
    constexpr int kMostDepth = 8;
    if (depth_ > kMostDepth) return {};
    const MlirLexer::Detour detour(lexer_, alias->second);
    std::string text = parse_location();
    locations_.emplace(name.text, text);
    return text;
}

std::string MlirValueParser::parse_location_body() {
    const NestingGuard guard(depth_, lexer_);
    const MlirToken token = lexer_.take();
    if (token.kind == MlirTokenKind::kString) return parse_file_location(token);
    if (token.kind == MlirTokenKind::kAttribute) return parse_location_alias(token);
    if (token.text == "fused") return parse_fused_location();
    if (token.text == "callsite") {
        lexer_.expect("(");
        std::string text = parse_location_body();
        lexer_.expect("at");
        parse_location_body();
        lexer_.expect(")");
        return text;
    }
    if (token.text != "unknown") lexer_.report().fatal(token.at, "expected a location");
    return {};
}

std::string MlirValueParser::parse_location() {
    if (!lexer_.accept("loc")) return {};
    lexer_.expect("(", "and a location");
    std::string text = parse_location_body();
    lexer_.expect(")", "after the location");
    return text;
}

}  // namespace okksim::sim::graph
