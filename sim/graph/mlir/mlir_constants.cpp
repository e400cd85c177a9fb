// SPDX-License-Identifier: Apache-2.0
// dense, dense_resource, and the resources at the end of the file.
#include "sim/graph/mlir/mlir_dense.h"
#include "sim/graph/mlir/mlir_parser.h"

namespace okksim::sim::graph {

namespace {

/// Printed by tools in place of elements that they omit.
constexpr std::string_view kElided = "__elided__";

}  // namespace

void MlirValueParser::refuse_elided(std::size_t at) const {
    lexer_.report().fatal(
        at,
        "the tool that wrote the text omitted the elements; write it again without "
        "--mlir-elide-elementsattrs-if-larger and --mlir-elide-resource-strings-if-larger (Python: "
        "without large_elements_limit)");
}

MlirAttribute MlirValueParser::parse_dense_resource(std::size_t at) {
    MlirAttribute attribute;
    attribute.kind = MlirAttribute::Kind::kElements;
    attribute.at = at;
    lexer_.expect("<", "and the name of the resource");
    const MlirToken name = lexer_.take();
    attribute.resource =
        name.kind == MlirTokenKind::kString ? name.text.substr(1, name.text.size() - 2) : name.text;
    lexer_.expect(">", "after the name of the resource");
    lexer_.expect(":", "and the type of the elements");
    if (passed_over_ > 0) {
        parse_type();
        return attribute;
    }
    attribute.type = parse_elements_type();
    if (!has_found_resources_) find_resources();
    const auto found = resources_.find(attribute.resource);
    if (found == resources_.end() && attribute.resource == kElided) refuse_elided(at);
    if (found == resources_.end()) {
        if (are_resources_damaged_) throw SyntaxBreak{};  // already reported
        lexer_.report().error(at, "the resource \"" + std::string(attribute.resource) +
                                      "\" is not defined at the end of the file");
        throw SyntaxBreak{};
    }
    DenseReader dense(lexer_.report(), graph_);
    read_resources_.insert(attribute.resource);
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
    if (passed_over_ > 0) {
        skip_balanced();
        lexer_.expect(":", "and the type of the elements");
        parse_type();
        return attribute;
    }
    // The type follows the elements, so it is read before them.
    DenseReader dense(lexer_.report(), graph_);
    const std::size_t begin = lexer_.token().at + 1;
    if (lexer_.text().substr(begin).starts_with(kElided)) refuse_elided(at);
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
    try {
        parse_resources();
    } catch (const SyntaxBreak&) {
        are_resources_damaged_ = true;
    }
}

void MlirValueParser::check_unread_resources() {
    for (const auto& [name, quoted] : resources_) {
        if (read_resources_.contains(name)) continue;
        try {
            DenseReader(lexer_.report(), graph_).check_resource(quoted, lexer_.text());
        } catch (const SyntaxBreak&) {
            are_resources_damaged_ = true;  // already reported
        }
    }
}

void MlirValueParser::parse_resources() {
    has_found_resources_ = true;
    lexer_.expect("{-#");
    // Nested dictionaries; entries with a string value are the blobs.
    int open = 0;
    bool are_blobs = false;  // the external resources are any attributes
    while (!lexer_.accept("#-}")) {
        const MlirToken token = lexer_.take();
        if (token.kind == MlirTokenKind::kEnd) lexer_.unexpected("'#-}'");
        open += token.text == "{" ? 1 : token.text == "}" ? -1 : 0;
        const bool is_name =
            token.kind == MlirTokenKind::kWord || token.kind == MlirTokenKind::kString;
        if (open == 0) are_blobs = token.text == "dialect_resources";
        if (!is_name || !lexer_.accept(":")) continue;
        if (are_blobs && lexer_.token().kind == MlirTokenKind::kString) {
            const std::string_view name = token.kind == MlirTokenKind::kString
                                              ? token.text.substr(1, token.text.size() - 2)
                                              : token.text;
            resources_.emplace(name, lexer_.take().text);
        }
    }
}

}  // namespace okksim::sim::graph
