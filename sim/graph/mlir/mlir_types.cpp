// SPDX-License-Identifier: Apache-2.0
// Types and aliases.
#include <algorithm>
#include <charconv>

#include "sim/graph/graph_format.h"
#include "sim/graph/mlir/mlir_parser.h"

namespace okksim::sim::graph {

namespace {

struct ElementName {
    std::string_view name;
    DType type;
};
constexpr ElementName kElementNames[] = {
    {"i1", DType::kBool},          {"i4", DType::kI4},         {"i8", DType::kI8},
    {"i16", DType::kI16},          {"i32", DType::kI32},       {"i48", DType::kI48},
    {"f32", DType::kFp32},         {"f16", DType::kFp16},      {"bf16", DType::kBf16},
    {"f8E4M3FN", DType::kFp8E4M3}, {"f8E5M2", DType::kFp8E5M2}};

}  // namespace

MlirType MlirValueParser::parse_element_type(std::string_view word, std::size_t at) const {
    MlirType type;
    type.kind = MlirType::Kind::kElement;
    type.spelling = word;
    type.is_index = word == "index";
    if (type.is_index) {
        type.type = DType::kShape;
        return type;
    }
    std::string_view name = word;
    const bool is_signed = word.starts_with("si");
    type.is_unsigned = word.starts_with("ui");
    if (is_signed || type.is_unsigned) name.remove_prefix(1);
    for (const ElementName& row : kElementNames) {
        if (row.name == name) type.type = row.type;
    }
    if (type.type == DType::kUnknown) return type;
    if (is_signed && passed_over_ == 0) {
        lexer_.report().warning(at, std::string(word) + " is read as " + std::string(name) +
                                        ": tosa has integers without a sign");
    }
    return type;
}

/// The current token is the "<" after "tensor".
MlirType MlirValueParser::parse_tensor_type(std::size_t at) {
    const std::string_view rest = lexer_.rest();
    const std::size_t base = lexer_.token().at;
    std::size_t i = 1;
    MlirType type;
    bool is_unranked = false, is_open = false;
    const auto skip_space = [&] {
        while (i < rest.size() &&
               (rest[i] == ' ' || rest[i] == '\n' || rest[i] == '\t' || rest[i] == '\r'))
            ++i;
    };
    Shape shape;
    for (;;) {
        skip_space();
        if (i < rest.size() && (rest[i] == '?' || rest[i] == '*')) {
            (rest[i] == '?' ? is_open : is_unranked) = true;
            shape.push_back(MlirType::kOpen);
            ++i;
        } else if (i < rest.size() && rest[i] >= '0' && rest[i] <= '9') {
            std::int64_t value = 0;
            const auto result = std::from_chars(rest.data() + i, rest.data() + rest.size(), value);
            if (result.ec != std::errc{})
                lexer_.report().fatal(base + i, "the dimension is too large");
            i = static_cast<std::size_t>(result.ptr - rest.data());
            shape.push_back(value);
        } else {
            break;
        }
        skip_space();
        if (i >= rest.size() || rest[i] != 'x') {
            lexer_.report().fatal(base + i, "expected 'x' and an element type after a dimension");
        }
        ++i;
    }
    if (shape.size() > kMaxDimensions)
        lexer_.report().fatal(at, "the type has too many dimensions");
    lexer_.resume(base + i);
    const MlirToken word = lexer_.token();
    if (word.kind != MlirTokenKind::kWord && word.kind != MlirTokenKind::kType) {
        lexer_.unexpected("an element type");
    }
    lexer_.take();
    if (word.kind == MlirTokenKind::kWord) {
        type = parse_element_type(word.text, word.at);
    } else if (const MlirType alias = parse_type_alias(word);
               alias.kind == MlirType::Kind::kElement) {
        type = alias;
    }
    if (lexer_.at("<")) skip_balanced();
    if (type.type == DType::kUnknown) {
        lexer_.report().error(
            word.at,
            word.kind == MlirTokenKind::kType
                ? "elements of type " + std::string(word.text) +
                      " are not read: lower the model to integers first"
                : "tensors of " + std::string(word.text) +
                      " are not in TOSA 1.0: make the tool that writes the text use i32 or f32");
    }
    type.kind = MlirType::Kind::kTensor;
    if (lexer_.accept(",")) {  // an encoding, without meaning here
        const PassedOver guard(passed_over_);
        parse_attribute();
    }
    lexer_.expect(">", "at the end of the tensor type");
    if (is_unranked) shape.clear();
    if (is_unranked || is_open) type.open_at = at;
    type.is_unranked = is_unranked;
    type.shape = std::move(shape);
    return type;
}

/// Parses a type that no graph has, with the contents of its brackets.
MlirType MlirValueParser::parse_other_type(const MlirToken& name) {
    MlirType type;
    type.kind = MlirType::Kind::kOther;
    const std::size_t end = lexer_.at("<") ? skip_balanced() : name.at + name.text.size();
    type.spelling = lexer_.text().substr(name.at, end - name.at);
    return type;
}

MlirType MlirValueParser::parse_type_alias(const MlirToken& name) {
    if (passed_over_ > 0) return parse_other_type(name);
    if (name.text == "!tosa.shape") {
        lexer_.expect("<", "with the number of values");
        const MlirToken count = lexer_.expect_kind(MlirTokenKind::kNumber, "the number of values");
        std::int64_t values = 0;
        std::from_chars(count.text.data(), count.text.data() + count.text.size(), values);
        lexer_.expect(">");
        MlirType type;
        type.kind = MlirType::Kind::kShape;
        type.type = DType::kShape;
        type.shape = {std::max<std::int64_t>(values, 0)};
        return type;
    }
    const auto known = types_.find(name.text);
    if (known != types_.end()) return known->second;
    find_aliases();
    const auto alias = aliases_.find(name.text);
    const bool is_of_dialect = lexer_.at("<") || name.text.find('.') != std::string_view::npos;
    if (alias == aliases_.end() && is_of_dialect) return parse_other_type(name);
    if (alias == aliases_.end()) {
        lexer_.report().fatal(name.at, "the type " + std::string(name.text) +
                                           " is neither an alias of the file nor a supported type");
    }
    const NestingGuard guard(depth_, lexer_);
    const std::size_t definition = alias->second;
    aliases_.erase(alias);  // within its definition, an alias is unknown
    const MlirLexer::Detour detour(lexer_, definition);
    MlirType type = parse_type();
    types_.emplace(name.text, type);
    return type;
}

MlirType MlirValueParser::parse_type() {
    const MlirToken token = lexer_.token();
    if (token.kind == MlirTokenKind::kType) {
        lexer_.take();
        return parse_type_alias(token);
    }
    if (token.text == "(") {
        MlirType type;
        type.kind = MlirType::Kind::kFunction;
        const NestingGuard guard(depth_, lexer_);
        type.inputs = parse_type_list(false);
        lexer_.expect("->", "and the results of the function type");
        type.results = parse_type_list(true);
        return type;
    }
    if (token.kind != MlirTokenKind::kWord) lexer_.unexpected("a type");
    lexer_.take();
    if (token.text == "tensor" && lexer_.at("<")) {
        return passed_over_ > 0 ? parse_other_type(token) : parse_tensor_type(token.at);
    }
    if (is_other_type(token.text)) return parse_other_type(token);
    if (token.text == "none") return {};
    return parse_element_type(token.text, token.at);
}

std::vector<MlirType> MlirValueParser::parse_type_list(bool allow_bare) {
    std::vector<MlirType> types;
    if (!lexer_.at("(")) {
        if (!allow_bare) lexer_.unexpected("'(' and types");
        types.push_back(parse_type());
        return types;
    }
    lexer_.take();
    if (lexer_.accept(")")) return types;
    do {
        types.push_back(parse_type());
        types.back().words = parse_notes(types.back());
        parse_location();
    } while (lexer_.accept(","));
    lexer_.expect(")", "after the types");
    return types;
}

void MlirValueParser::find_aliases() {
    if (has_found_aliases_) return;
    has_found_aliases_ = true;
    const std::string_view text = lexer_.text();
    for (std::size_t at = 0; at < text.size();) {
        std::size_t start = text.find_first_not_of(" \t", at);
        if (start == std::string_view::npos) break;
        if (text[start] == '#' || text[start] == '!') {
            const std::size_t end = text.find_first_of(" \t=\n", start);
            const std::size_t sign =
                end == std::string_view::npos ? end : text.find_first_not_of(" \t", end);
            if (sign != std::string_view::npos && text[sign] == '=') {
                aliases_.emplace(text.substr(start, end - start), sign + 1);
            }
        }
        at = text.find('\n', start);
        if (at == std::string_view::npos) break;
        ++at;
    }
}

void MlirValueParser::parse_alias() {
    const MlirToken name = lexer_.take();
    lexer_.expect("=", "and the type of the alias");
    if (lexer_.at("loc")) {
        locations_.insert_or_assign(name.text, parse_location());
        return;
    }
    aliases_.insert_or_assign(name.text, lexer_.token().at);
    const PassedOver guard(passed_over_);
    if (name.kind == MlirTokenKind::kType) {
        parse_type();
    } else {
        parse_attribute();
    }
}

}  // namespace okksim::sim::graph
