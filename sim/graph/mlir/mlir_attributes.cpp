// SPDX-License-Identifier: Apache-2.0
// Attributes other than dense ones, dictionaries and resources.
#include <charconv>
#include <unordered_set>

#include "sim/graph/mlir/mlir_dense.h"
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
    lexer_.expect_kind(MlirTokenKind::kWord, "the type of the array's elements");
    if (lexer_.accept(":")) {
        do {
            const MlirToken token = lexer_.take();
            std::int64_t value = token.text == "true" ? 1 : 0;
            if (token.kind == MlirTokenKind::kNumber) {
                const auto result = std::from_chars(token.text.data(),
                                                    token.text.data() + token.text.size(), value);
                if (result.ec != std::errc{})
                    lexer_.report().fatal(token.at, "the number is too large");
            } else if (token.text != "true" && token.text != "false") {
                lexer_.report().fatal(token.at, "expected a number");
            }
            attribute.integers.push_back(value);
        } while (lexer_.accept(","));
    }
    lexer_.expect(">", "behind the array");
    return attribute;
}

/// [a, b]: of numbers, a list of integers; of anything else, read over.
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
    lexer_.expect("]", "behind the list");
    return attribute;
}

MlirAttribute MlirValueParser::parse_attribute_alias(const MlirToken& name) {
    MlirAttribute attribute;
    attribute.at = name.at;
    // #tosa.nan_mode<IGNORE>; #tosa<nan_mode IGNORE> of other printers.
    if (name.text.starts_with("#tosa") && lexer_.accept("<")) {
        attribute.kind = MlirAttribute::Kind::kEnum;
        attribute.text = lexer_.expect_kind(MlirTokenKind::kWord, "the name of a mode").text;
        if (lexer_.token().kind == MlirTokenKind::kWord) attribute.text = lexer_.take().text;
        lexer_.expect(">", "behind the mode");
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
    if (lexer_.at("<")) skip_balanced();
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
    if (token.kind == MlirTokenKind::kString || token.kind == MlirTokenKind::kSymbol) {
        lexer_.take();
        attribute.kind = token.kind == MlirTokenKind::kString ? MlirAttribute::Kind::kString
                                                              : MlirAttribute::Kind::kSymbol;
        if (lexer_.accept(":")) parse_type();
        while (lexer_.at(":")) {  // @a::@b
            lexer_.take();
            if (lexer_.token().kind == MlirTokenKind::kSymbol) lexer_.take();
        }
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
    if (token.text == "loc") {
        parse_location();
        return attribute;
    }
    if (token.text == "tensor") {
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
    } else if (lexer_.at("<")) {
        skip_balanced();  // an attribute of another dialect
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
            entry.value = parse_attribute();
        } else {
            entry.value.kind = MlirAttribute::Kind::kUnit;
        }
        attributes.push_back(std::move(entry));
    } while (lexer_.accept(","));
    lexer_.expect(close, "behind the attributes");
    refuse_repeated(std::span(attributes).subspan(first));
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

void MlirValueParser::skip_balanced() {
    int open = 0;
    do {
        const MlirToken token = lexer_.take();
        if (token.kind == MlirTokenKind::kEnd) lexer_.unexpected("a closing bracket");
        if (token.kind != MlirTokenKind::kPunctuation || token.text.size() != 1) continue;
        const char c = token.text[0];
        open += c == '<' || c == '(' || c == '[' || c == '{' ? 1 : 0;
        open -= c == '>' || c == ')' || c == ']' || c == '}' ? 1 : 0;
    } while (open > 0);
}

MlirAttribute MlirValueParser::parse_dense_resource(std::size_t at) {
    MlirAttribute attribute;
    attribute.kind = MlirAttribute::Kind::kElements;
    attribute.at = at;
    lexer_.expect("<", "and the name of the resource");
    const MlirToken name = lexer_.take();
    attribute.resource =
        name.kind == MlirTokenKind::kString ? name.text.substr(1, name.text.size() - 2) : name.text;
    lexer_.expect(">", "behind the name of the resource");
    lexer_.expect(":", "and the type of the elements");
    attribute.type = parse_elements_type();
    if (!has_found_resources_) find_resources();
    const auto found = resources_.find(attribute.resource);
    if (found == resources_.end()) {
        lexer_.report().error(at, "the resource \"" + std::string(attribute.resource) +
                                      "\" is not defined at the end of the file");
        throw SyntaxBreak{};
    }
    DenseReader dense(lexer_.report(), graph_);
    attribute.data = dense.read_resource(found->second, lexer_.text(), attribute.type);
    return attribute;
}

MlirType MlirValueParser::parse_elements_type() {
    MlirType type = parse_type();
    if (type.open_at != 0) {
        lexer_.report().fatal(type.open_at, type.is_unranked
                                                ? "a constant has no rank ('*')"
                                                : "a dimension of a constant is open ('?')");
    }
    return type;
}

MlirAttribute MlirValueParser::parse_dense(std::size_t at) {
    MlirAttribute attribute;
    attribute.kind = MlirAttribute::Kind::kElements;
    attribute.at = at;
    if (!lexer_.at("<")) lexer_.unexpected("'<' and the elements");
    // The type stands behind the elements: find it first.
    DenseReader dense(lexer_.report(), graph_);
    const std::size_t begin = lexer_.token().at + 1;
    const std::size_t end = dense.find_end(lexer_.text(), begin);
    lexer_.resume(end + 1);
    lexer_.expect(":", "and the type of the elements");
    attribute.type = parse_elements_type();
    if (!attribute.type.is_value()) {
        lexer_.report().fatal(at, "the elements of dense need the type of a tensor");
    }
    attribute.data = dense.read(lexer_.text(), begin, end, attribute.type, at);
    return attribute;
}

void MlirValueParser::find_resources() {
    has_found_resources_ = true;
    const std::string_view text = lexer_.text();
    std::size_t at = text.starts_with("{-#") ? 0 : text.find("\n{-#");
    if (at == std::string_view::npos) return;
    if (text[at] == '\n') ++at;
    const MlirLexer::Detour detour(lexer_, at);
    parse_resources();
}

void MlirValueParser::parse_resources() {
    has_found_resources_ = true;
    lexer_.expect("{-#");
    // Nested dictionaries of names; those whose value is a string are the blobs.
    int open = 0;
    while (!lexer_.accept("#-}")) {
        const MlirToken token = lexer_.take();
        if (token.kind == MlirTokenKind::kEnd) lexer_.unexpected("'#-}'");
        open += token.text == "{" ? 1 : token.text == "}" ? -1 : 0;
        const bool is_name =
            token.kind == MlirTokenKind::kWord || token.kind == MlirTokenKind::kString;
        if (!is_name || !lexer_.accept(":")) continue;
        if (lexer_.token().kind == MlirTokenKind::kString) {
            const std::string_view name = token.kind == MlirTokenKind::kString
                                              ? token.text.substr(1, token.text.size() - 2)
                                              : token.text;
            resources_.emplace(name, lexer_.take().text);
        }
    }
}

}  // namespace okksim::sim::graph
