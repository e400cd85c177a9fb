// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace okksim::isa {

/// The columns of a row's text: separated by commas outside parentheses and quotes.
template <std::size_t kCount>
struct RowText {
    std::array<std::string_view, kCount> columns{};
    std::size_t count = 0;  ///< also of those beyond kCount
};

constexpr std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

template <std::size_t kCount>
constexpr RowText<kCount> split_row(std::string_view text) {
    RowText<kCount> row;
    int depth = 0;
    bool quoted = false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const char c = i < text.size() ? text[i] : ',';
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (c == '(') ++depth;
        if (c == ')') --depth;
        if (c != ',' || (depth != 0 && i < text.size())) continue;
        if (row.count < kCount) row.columns[row.count] = trimmed(text.substr(begin, i - begin));
        ++row.count;
        begin = i + 1;
    }
    return row;
}

/// Number, from 1, of the first column that a row lacks or fills with something else; 0 when the
/// row is complete. `columns` recognise the texts that may stand in each.
template <std::size_t kCount>
constexpr std::size_t missing_column(
    std::string_view text, const std::array<bool (*)(std::string_view), kCount>& columns) {
    const RowText<kCount> row = split_row<kCount>(text);
    for (std::size_t i = 0; i < kCount; ++i) {
        if (!columns[i](row.columns[i])) return i + 1;
    }
    return row.count == kCount ? 0 : kCount;
}

// Recognisers of columns.
constexpr bool is_code(std::string_view text) { return text.starts_with("0x"); }
/// A text in quotes that is not blank.
constexpr bool is_text(std::string_view text) {
    return text.starts_with('"') && text.find_first_not_of("\" ") != std::string_view::npos;
}
constexpr bool is_call(std::string_view text) { return text.ends_with(')'); }
constexpr bool is_number(std::string_view text) {
    return !text.empty() && text[0] >= '0' && text[0] <= '9';
}
constexpr bool is_upper_name(std::string_view text) {
    return !text.empty() && text[0] >= 'A' && text[0] <= 'Z' && !is_call(text);
}
constexpr bool is_constant(std::string_view text) {
    return text.starts_with('k') && is_upper_name(text.substr(1));
}
constexpr bool is_lower_name(std::string_view text) {
    return !text.empty() && text[0] >= 'a' && text[0] <= 'z' && !is_call(text) &&
           !is_constant(text);
}
/// One of `names`, which are separated by blanks.
constexpr bool is_one_of(std::string_view text, std::string_view names) {
    while (!names.empty()) {
        const std::size_t end = names.find(' ');
        if (!text.empty() && names.substr(0, end) == text) return true;
        names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
    }
    return false;
}

}  // namespace okksim::isa
