// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Character classes of MLIR text, independent of the locale.
namespace okksim::sim::graph {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
constexpr bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_word_character(char c) {
    return is_letter(c) || is_digit(c) || c == '$' || c == '.';
}
/// The names of values, blocks and aliases may also contain '-'.
constexpr bool is_name_character(char c) { return is_word_character(c) || c == '-'; }

}  // namespace okksim::sim::graph
