// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/mlir/mlir_lexer.h"

#include <algorithm>

#include "sim/graph/mlir/hex_digits.h"
#include "sim/graph/mlir/mlir_characters.h"

namespace okksim::sim::graph {

void MlirLexer::skip_space() {
    while (next_ < text_.size()) {
        const char c = text_[next_];
        if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
            ++next_;
        } else if (c == '/' && text_.substr(next_, 2) == "//") {
            next_ = std::min(text_.find('\n', next_), text_.size());
        } else {
            return;
        }
    }
}

std::size_t MlirLexer::scan_word(std::size_t from) const {
    while (from < text_.size() && is_word_character(text_[from])) ++from;
    return from;
}

std::size_t MlirLexer::scan_number(std::size_t from) const {
    if (from < text_.size() && text_[from] == '-') ++from;
    if (text_.substr(from, 2) == "0x" && from + 2 < text_.size() &&
        hex_digit(text_[from + 2]) >= 0) {
        from += 2;
        while (from < text_.size() && hex_digit(text_[from]) >= 0) ++from;
        return from;
    }
    const auto digits = [&] {
        while (from < text_.size() && is_digit(text_[from])) ++from;
    };
    digits();
    if (from + 1 < text_.size() && text_[from] == '.') {
        ++from;
        digits();
        if (from < text_.size() && (text_[from] == 'e' || text_[from] == 'E')) {
            std::size_t exponent = from + 1;
            if (exponent < text_.size() && (text_[exponent] == '+' || text_[exponent] == '-')) {
                ++exponent;
            }
            if (exponent < text_.size() && is_digit(text_[exponent])) {
                from = exponent;
                digits();
            }
        }
    }
    return from;
}

std::size_t MlirLexer::scan_string(std::size_t from) {
    // Blobs are strings of many megabytes; the library's searches are fast.
    for (std::size_t at = from + 1; at < text_.size();) {
        const std::size_t quote = text_.find('"', at);
        if (quote == std::string_view::npos) break;
        const std::string_view inside = text_.substr(at, quote - at);
        if (inside.find('\n') != std::string_view::npos) break;
        const std::size_t escape = inside.find('\\');
        if (escape == std::string_view::npos) return quote + 1;
        at += escape + 2;  // after the escaped character
    }
    report_.fatal(from, "the string does not end on its line: expected '\"'");
}

void MlirLexer::check_character(std::size_t at) const {
    const auto byte = static_cast<unsigned char>(text_[at]);
    if (byte > ' ' && byte < 0x7F) return;
    // All bytes of a UTF-8 character but the first begin with the bits 10.
    std::size_t end = at + 1;
    while (end < text_.size() && end < at + 4 && (text_[end] & 0xC0) == 0x80) ++end;
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    const std::string found =
        byte >= 0xC2 && byte < 0xF5 && end > at + 1
            ? "the character '" + std::string(text_.substr(at, end - at)) + "'"
            : std::string("the byte 0x") + kDigits[byte >> 4] + kDigits[byte & 15];
    report_.fatal(at, found + " may stand in strings and comments only");
}

void MlirLexer::advance() {
    skip_space();
    const std::size_t from = next_;
    if (from >= text_.size()) {
        token_ = {MlirTokenKind::kEnd, text_.size(), {}};
        return;
    }
    const char c = text_[from];
    const char following = from + 1 < text_.size() ? text_[from + 1] : ' ';
    MlirTokenKind kind = MlirTokenKind::kPunctuation;
    std::size_t end = from + 1;
    if (is_letter(c)) {
        kind = MlirTokenKind::kWord;
        end = scan_word(from);
    } else if (is_digit(c) || (c == '-' && is_digit(following))) {
        kind = MlirTokenKind::kNumber;
        end = scan_number(from);
    } else if (c == '"') {
        kind = MlirTokenKind::kString;
        end = scan_string(from);
    } else if (text_.substr(from, 2) == "->" || text_.substr(from, 3) == "{-#" ||
               text_.substr(from, 3) == "#-}") {
        end = from + (c == '-' ? 2 : 3);
    } else if (c == '%' || c == '@' || c == '^' || c == '#' || c == '!') {
        kind = c == '%'   ? MlirTokenKind::kValue
               : c == '@' ? MlirTokenKind::kSymbol
               : c == '^' ? MlirTokenKind::kBlock
               : c == '#' ? MlirTokenKind::kAttribute
                          : MlirTokenKind::kType;
        if (c == '@' && following == '"') {
            end = scan_string(from + 1);
        } else {
            while (end < text_.size() && is_name_character(text_[end])) ++end;
        }
        // A sign without a name: '#' between a value and its result number, or a lone '^'.
        if (end == from + 1) kind = MlirTokenKind::kPunctuation;
        if (end == from + 1 && (c == '%' || c == '@')) {
            report_.fatal(from, "expected a name after '" + std::string(1, c) +
                                    "': letters, digits and $ . _ -");
        }
    } else {
        check_character(from);
    }
    token_ = {kind, from, text_.substr(from, end - from)};
    next_ = end;
}

void MlirLexer::unexpected(std::string_view expected) {
    const std::string found = token_.kind == MlirTokenKind::kEnd
                                  ? std::string("the end of the file")
                                  : "'" + std::string(token_.text.substr(0, 40)) + "'";
    report_.fatal(token_.at, "expected " + std::string(expected) + ", found " + found);
}

void MlirLexer::expect(std::string_view text, std::string_view purpose) {
    if (accept(text)) return;
    unexpected("'" + std::string(text) + "'" + (purpose.empty() ? "" : " " + std::string(purpose)));
}

MlirToken MlirLexer::expect_kind(MlirTokenKind kind, std::string_view what) {
    if (token_.kind != kind) unexpected(what);
    return take();
}

std::string unquoted(std::string_view token) {
    const std::string_view inner = token.substr(1, token.size() - 2);
    std::string bytes;
    for (std::size_t i = 0; i < inner.size(); ++i) {
        if (inner[i] != '\\' || i + 1 >= inner.size()) {
            bytes += inner[i];
            continue;
        }
        const char next = inner[++i];
        const int high = hex_digit(next);
        const int low = i + 1 < inner.size() ? hex_digit(inner[i + 1]) : -1;
        if (next == 'n') {
            bytes += '\n';
        } else if (next == 't') {
            bytes += '\t';
        } else if (high >= 0 && low >= 0) {
            bytes += static_cast<char>(high * 16 + low);
            ++i;
        } else {
            bytes += next;
        }
    }
    return bytes;
}

std::string symbol_name(std::string_view token) {
    token.remove_prefix(1);
    return token.starts_with('"') ? unquoted(token) : std::string(token);
}

}  // namespace okksim::sim::graph
