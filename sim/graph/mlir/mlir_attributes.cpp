// SPDX-License-Identifier: Apache-2.0
// Attributes other than constants, and dictionaries.
#include <charconv>
#include <unordered_set>

#include "sim/graph/mlir/mlir_fields.h"
#include "sim/graph/mlir/mlir_parser.h"

namespace okksim::sim::graph {

MlirValueParser::MlirValueParser(MlirLexer& lexer, Graph& graph) : lexer_(lexer), graph_(graph) {}

MlirAttribute MlirValueParser::parse_number() {
    MlirAttribute attribute;
    attribute.kind = MlirAttribute::Kind::kNumber;
    attribute.at = lexer_.token().at;
    attribute.text = lexer_.take().text;
    if (lexer_.accept(":")) attribute.type = parse_type();
    return attribute;
}

MlirAttribute MlirValueParser::parse_array() {
    MlirAttribute attribute;
    attribute.kind = MlirAttribute::Kind::kIntegers;
    attribute.at = lexer_.token().at;
    lexer_.expect("<", "and the type of the array");
    const MlirToken element =
        lexer_.expect_kind(MlirTokenKind::kWord, "the type of the array's elements");
    attribute.type = parse_element_type(element.text, element.at);
    if (lexer_.accept(":")) {
        do {
            const MlirToken token = lexer_.take();
            std::int64_t value = token.text == "true" ? 1 : 0;
            if (token.kind == MlirTokenKind::kNumber) {
                const char* const end = token.text.data() + token.text.size();
                const auto result = std::from_chars(token.text.data(), end, value);
                if (result.ec != std::errc{})
                    lexer_.report().fatal(token.at, "the number is too large");
                if (result.ptr != end) attribute.kind = MlirAttribute::Kind::kOther;
            } else if (token.text != "true" && token.text != "false") {
                lexer_.report().fatal(token.at, "expected a number");
            }
            attribute.integers.push_back(value);
        } while (lexer_.accept(","));
    }
    lexer_.expect(">", "after the array");
    return attribute;
}

/// Parses [a, b]: a list of integers; other elements are skipped.
MlirAttribute MlirValueParser::parse_list() {
    MlirAttribute attribute;
    attribute.kind = MlirAttribute::Kind::kIntegers;
    attribute.at = lexer_.token().at;
    lexer_.expect("[");
    if (lexer_.accept("]")) return attribute;
    do {
        const MlirAttribute element = parse_attribute();
        std::int64_t value = 0;
        if (element.kind == MlirAttribute::Kind::kNumber) {
            const char* const end = element.text.data() + element.text.size();
            const auto result = std::from_chars(element.text.data(), end, value);
            if (result.ec != std::errc{})
                lexer_.report().fatal(element.at, "the number is too large");
            if (result.ptr != end) attribute.kind = MlirAttribute::Kind::kOther;
        } else {
            attribute.kind = MlirAttribute::Kind::kOther;
        }
        attribute.integers.push_back(value);
    } while (lexer_.accept(","));
    lexer_.expect("]", "after the list");
    return attribute;
}

MlirAttribute MlirValueParser::parse_attribute_alias(const MlirToken& name) {
    MlirAttribute attribute;
    attribute.at = name.at;
    // #tosa.nan_mode<IGNORE>; other printers write #tosa<nan_mode IGNORE>.
    if (passed_over_ == 0 && name.text.starts_with("#tosa") && lexer_.accept("<")) {
        attribute.kind = MlirAttribute::Kind::kEnum;
        attribute.text = lexer_.expect_kind(MlirTokenKind::kWord, "the name of a mode").text;
        if (lexer_.token().kind == MlirTokenKind::kWord) attribute.text = lexer_.take().text;
        lexer_.expect(">", "after the mode");
        return attribute;
    }
    if (passed_over_ > 0 || lexer_.at("<")) {  // of another dialect
        if (lexer_.at("<")) skip_balanced();
        return attribute;
    }
    find_aliases();
    const auto known = attributes_.find(name.text);
    const auto alias = aliases_.find(name.text);
    if (known != attributes_.end()) {
        attribute = known->second;
        attribute.at = name.at;
        return attribute;
    }
    if (alias != aliases_.end()) {
        const NestingGuard guard(depth_, lexer_);
        const MlirLexer::Detour detour(lexer_, alias->second);
        attribute = parse_attribute();
        attribute.at = name.at;
        attributes_.emplace(name.text, attribute);
        return attribute;
    }
    if (name.text.find('.') == std::string_view::npos) {
        lexer_.report().fatal(name.at, "the alias " + std::string(name.text) + " is never defined");
    }
    return attribute;
}

/// Parses @a::@b.
MlirAttribute MlirValueParser::parse_symbol(const MlirToken& token) {
    MlirAttribute attribute;
    attribute.kind = MlirAttribute::Kind::kSymbol;
    attribute.at = token.at;
    attribute.text = lexer_.take().text;
    while (lexer_.rest().starts_with("::")) {
        lexer_.take();
        lexer_.take();
        lexer_.expect_kind(MlirTokenKind::kSymbol, "a symbol after '::'");
        attribute.kind = MlirAttribute::Kind::kOther;  // nothing refers to a nested module
    }
    return attribute;
}

/// Parses sparse<...> : type, distinct[0]<...>, affine_map<...>, which the graph does not need.
MlirAttribute MlirValueParser::parse_other_attribute(const MlirToken& word) {
    MlirAttribute attribute;
    attribute.at = word.at;
    attribute.text = word.text;
    const PassedOver guard(passed_over_);
    if (lexer_.at("[")) skip_balanced();
    if (lexer_.at("<")) skip_balanced();
    if (lexer_.accept(":")) parse_type();
    return attribute;
}

MlirAttribute MlirValueParser::parse_attribute() {
    MlirAttribute attribute;
    const MlirToken token = lexer_.token();
    attribute.at = token.at;
    attribute.text = token.text;
    if (token.kind == MlirTokenKind::kNumber) return parse_number();
    if (token.kind == MlirTokenKind::kAttribute) {
        lexer_.take();
        return parse_attribute_alias(token);
    }
    if (token.kind == MlirTokenKind::kSymbol) return parse_symbol(token);
    if (token.kind == MlirTokenKind::kString) {
        lexer_.take();
        attribute.kind = MlirAttribute::Kind::kString;
        if (lexer_.accept(":")) parse_type();
        return attribute;
    }
    if (token.text == "[" || token.text == "{") {
        const NestingGuard guard(depth_, lexer_);
        if (token.text == "[") {
            attribute = parse_list();
        } else {
            lexer_.take();
            std::vector<MlirNamedAttribute> entries;
            parse_dictionary("}", entries);
        }
        return attribute;
    }
    if (token.kind == MlirTokenKind::kType || token.text == "(") {
        attribute.kind = MlirAttribute::Kind::kType;
        attribute.type = parse_type();
        return attribute;
    }
    if (token.kind != MlirTokenKind::kWord) lexer_.unexpected("an attribute");
    return parse_word(token);
}

/// Parses an attribute that begins with a word.
MlirAttribute MlirValueParser::parse_word(const MlirToken& token) {
    MlirAttribute attribute;
    attribute.at = token.at;
    attribute.text = token.text;
    if (token.text == "loc") {
        parse_location();
        return attribute;
    }
    if (token.text == "tensor" || is_other_type(token.text)) {
        attribute.kind = MlirAttribute::Kind::kType;
        attribute.type = parse_type();
        return attribute;
    }
    lexer_.take();
    if (token.text == "true" || token.text == "false") {
        attribute.kind = MlirAttribute::Kind::kBool;
        attribute.truth = token.text == "true";
        if (lexer_.accept(":")) attribute.type = parse_type();
        return attribute;
    }
    if (token.text == "unit") {
        attribute.kind = MlirAttribute::Kind::kUnit;
        return attribute;
    }
    if (token.text == "array") return parse_array();
    if (token.text == "dense") return parse_dense(token.at);
    if (token.text == "dense_resource") return parse_dense_resource(token.at);
    attribute.type = parse_element_type(token.text, token.at);
    if (attribute.type.type != DType::kUnknown) {
        attribute.kind = MlirAttribute::Kind::kType;
    } else if (lexer_.at("<") || token.text == "distinct") {
        return parse_other_attribute(token);
    } else {
        attribute.kind = MlirAttribute::Kind::kEnum;
    }
    return attribute;
}

void MlirValueParser::parse_dictionary(std::string_view close,
                                       std::vector<MlirNamedAttribute>& attributes) {
    if (lexer_.accept(close)) return;
    const std::size_t first = attributes.size();
    do {
        const MlirToken name = lexer_.token();
        if (name.kind != MlirTokenKind::kWord && name.kind != MlirTokenKind::kString) {
            lexer_.unexpected("the name of an attribute");
        }
        lexer_.take();
        MlirNamedAttribute entry;
        entry.name = name.kind == MlirTokenKind::kString ? name.text.substr(1, name.text.size() - 2)
                                                         : name.text;
        entry.at = name.at;
        if (lexer_.accept("=")) {
            // Attributes with a dot in their name belong to other dialects and are skipped.
            const bool is_note = entry.name.find('.') != std::string_view::npos;
            const PassedOver guard(passed_over_, is_note);
            entry.value = parse_attribute();
        } else {
            entry.value.kind = MlirAttribute::Kind::kUnit;
        }
        attributes.push_back(std::move(entry));
    } while (lexer_.accept(","));
    lexer_.expect(close, "after the attributes");
    refuse_repeated(std::span(attributes).subspan(first));
}

FileWords MlirValueParser::parse_notes(const MlirType& type) {
    FileWords words = FileWords::kNone;
    if (!lexer_.accept("{")) return words;
    std::vector<MlirNamedAttribute> notes;
    parse_dictionary("}", notes);
    for (const MlirNamedAttribute& note : notes) {
        if (note.name != kElementsNote) continue;
        words = words_named(note.value.text);
        const bool is_pairs =
            type.type == DType::kI32 && !type.shape.empty() && type.shape.back() == 2;
        if (words != FileWords::kNone && is_pairs) continue;
        lexer_.report().fatal(note.at,
                              std::string(kElementsNote) +
                                  " is \"int64\", \"uint64\" or \"float64\", of a tensor of "
                                  "i32 whose last dimension is 2");
    }
    return words;
}

void MlirValueParser::refuse_repeated(std::span<const MlirNamedAttribute> attributes) {
    std::unordered_set<std::string_view> names;
    for (const MlirNamedAttribute& attribute : attributes) {
        if (names.insert(attribute.name).second) continue;
        attribute.is_used = true;
        lexer_.report().error(attribute.at,
                              "the attribute '" + std::string(attribute.name) + "' is given twice");
    }
}

std::size_t MlirValueParser::skip_balanced() {
    for (int open = 0;;) {
        const MlirToken token = lexer_.token();
        if (token.kind == MlirTokenKind::kEnd) lexer_.unexpected("a closing bracket");
        // In affine sets, "<=" and ">=" are comparisons, not brackets.
        const bool is_comparison =
            (token.text == "<" || token.text == ">") && lexer_.rest().substr(1, 1) == "=";
        if (token.kind == MlirTokenKind::kPunctuation && token.text.size() == 1 && !is_comparison) {
            const char c = token.text[0];
            open += c == '<' || c == '(' || c == '[' || c == '{' ? 1 : 0;
            open -= c == '>' || c == ')' || c == ']' || c == '}' ? 1 : 0;
        }
        lexer_.take();
        if (open <= 0) return token.at + token.text.size();
    }
}

}  // namespace okksim::sim::graph
