// SPDX-License-Identifier: Apache-2.0
// Recovery after errors and unsupported parts of a text.
#include <algorithm>

#include "sim/graph/mlir/mlir_characters.h"
#include "sim/graph/mlir/mlir_lexer.h"

namespace okksim::sim::graph {

bool MlirLexer::begins_line(std::size_t at) const {
    while (at > 0 && (text_[at - 1] == ' ' || text_[at - 1] == '\t')) --at;
    return at == 0 || text_[at - 1] == '\n' || text_[at - 1] == '\r';
}

/// True for text such as "%a, %b:2 =".
bool MlirLexer::begins_results() const {
    std::size_t at = token_.at;
    const auto behind = [&](auto&& is_meant) {
        while (at < text_.size() && is_meant(text_[at])) ++at;
        return at < text_.size() ? text_[at] : '\n';
    };
    const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
    for (;;) {
        if (behind(is_space) != '%') return false;
        ++at;
        behind(is_name_character);
        if (behind(is_space) == ':') {
            ++at;
            behind(is_space);
            behind(is_digit);
        }
        const char next = behind(is_space);
        if (next != ',') return next == '=';
        ++at;
    }
}

/// True if the token, which is the first of its line, begins an operation or an item of a module.
bool MlirLexer::begins_statement(Level level) const {
    const std::string_view word = token_.text;
    switch (token_.kind) {
        case MlirTokenKind::kValue: return level == Level::kOperations && begins_results();
        case MlirTokenKind::kBlock: return level == Level::kOperations;
        case MlirTokenKind::kString: return next_ < text_.size() && text_[next_] == '(';
        case MlirTokenKind::kWord:
            return word == "return" || word == "module" || word.find('.') != std::string_view::npos;
        case MlirTokenKind::kAttribute:
        case MlirTokenKind::kType: {
            const std::size_t sign = text_.find_first_not_of(" \t", next_);
            return sign != std::string_view::npos && text_[sign] == '=';
        }
        case MlirTokenKind::kPunctuation: return word == "{-#";
        case MlirTokenKind::kEnd:
        case MlirTokenKind::kSymbol:
        case MlirTokenKind::kNumber: break;
    }
    return false;
}

/// Skips the statement that begins at `start`, with its regions. Returns false if its brackets do
/// not match.
bool MlirLexer::skip_statement(std::size_t start, Level level) {
    std::string open;  // closing brackets of the open ones, innermost last
    resume(start);
    for (bool is_first = true;; is_first = false) {
        const MlirToken token = token_;
        if (token.kind == MlirTokenKind::kEnd) return open.empty();
        const bool is_in_list = !open.empty() && open.back() != '}';
        const bool is_next = !is_first && (open.empty() || is_in_list) && begins_line(token.at) &&
                             begins_statement(level);
        if (is_next) return open.empty();
        const char c = token.kind == MlirTokenKind::kPunctuation && token.text.size() == 1
                           ? token.text[0]
                           : ' ';
        if (c == '(' || c == '[' || c == '{') {
            open += c == '(' ? ')' : c == '[' ? ']' : '}';
        } else if (c == ')' || c == ']' || c == '}') {
            if (open.empty()) return c == '}' && !is_first;
            if (open.back() != c) return false;
            open.pop_back();
        }
        advance();
    }
}

bool MlirLexer::find_body(std::size_t from) {
    resume(from);
    int open = 0;
    bool is_dictionary = false;
    for (bool is_first = true; token_.kind != MlirTokenKind::kEnd; is_first = false) {
        if (!is_first && begins_line(token_.at) && begins_statement(Level::kModuleItems)) break;
        if (open == 0 && at("{") && !is_dictionary) return true;
        if (open == 0) is_dictionary = at("attributes");
        if (at("(") || at("[") || at("{")) ++open;
        if (at(")") || at("]") || at("}")) --open;
        advance();
    }
    return false;
}

void MlirLexer::recover(std::size_t start, Level level) {
    // Limit on text parsed again, as nested statements may all fail after their regions.
    constexpr std::size_t kMostAgain = 64 << 10;
    const std::size_t reached = std::max({start, next_, token_.at});
    try {
        if (can_skip_ && reached - start <= kMostAgain && skip_statement(start, level)) return;
    } catch (const SyntaxBreak&) {  // the following text has no tokens
    }
    // If the search reached the end of the text, later searches would also fail.
    can_skip_ = can_skip_ && token_.kind != MlirTokenKind::kEnd;
    skip_lines_from(reached, level);
}

void MlirLexer::skip_lines_from(std::size_t from, Level level) {
    for (;;) {
        const std::size_t line =
            from < text_.size() ? text_.find('\n', from) : std::string_view::npos;
        from = line == std::string_view::npos ? text_.size() : line + 1;
        try {
            resume(from);
        } catch (const SyntaxBreak&) {
            continue;
        }
        const std::string_view word = token_.text;
        if (token_.kind == MlirTokenKind::kEnd) return;
        const bool is_item = word == "module" || word.starts_with("func.") || word == "{-#" ||
                             word == "tosa.variable" || word.starts_with("builtin.");
        const bool is_operation = token_.kind == MlirTokenKind::kValue ||
                                  token_.kind == MlirTokenKind::kString ||
                                  token_.kind == MlirTokenKind::kBlock || word == "return" ||
                                  word == "}" || word.starts_with("tosa.");
        if (is_item || (is_operation && level == Level::kOperations)) return;
    }
}

}  // namespace okksim::sim::graph
