// SPDX-License-Identifier: Apache-2.0
#include "isa/base/printable.h"

#include <algorithm>
#include <cstdint>

namespace okksim {
namespace {

bool is_plain(char c) { return c >= ' ' && c <= '~'; }
bool is_plain_or_layout(char c) { return is_plain(c) || c == '\n' || c == '\t'; }

struct Letter {
    std::size_t bytes = 0;  ///< 0: no UTF-8
    std::uint32_t code = 0;
};

/// The letter beyond ASCII at the beginning of `text`.
Letter letter_at(std::string_view text) {
    struct Form {
        unsigned char mask, mark;
        std::size_t bytes;
        std::uint32_t least;  ///< smaller codes have a shorter form
    };
    constexpr Form kForms[] = {
        {0xE0, 0xC0, 2, 0x80}, {0xF0, 0xE0, 3, 0x800}, {0xF8, 0xF0, 4, 0x10000}};
    constexpr std::uint32_t kLast = 0x10FFFF, kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF;
    const auto first = static_cast<unsigned char>(text[0]);
    for (const Form& form : kForms) {
        if ((first & form.mask) != form.mark || text.size() < form.bytes) continue;
        std::uint32_t code = first & static_cast<unsigned char>(~form.mask);
        for (const char c : text.substr(1, form.bytes - 1)) {
            const auto next = static_cast<unsigned char>(c);
            if ((next & 0xC0) != 0x80) return {};
            code = code << 6 | (next & 0x3Fu);
        }
        const bool is_surrogate = code >= kFirstSurrogate && code <= kLastSurrogate;
        if (code < form.least || code > kLast || is_surrogate) return {};
        return {form.bytes, code};
    }
    return {};
}

/// Control codes of ISO 6429, line and paragraph ends, marks of the direction of writing.
bool acts_on_terminals(std::uint32_t code) {
    struct Range {
        std::uint32_t first, last;
    };
    constexpr Range kRanges[] = {{0x80, 0x9F},     {0x200E, 0x200F}, {0x2028, 0x202E},
                                 {0x2066, 0x2069}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}};
    return std::any_of(std::begin(kRanges), std::end(kRanges), [&](const Range& range) {
        return code >= range.first && code <= range.last;
    });
}

void add_escaped(std::string& out, std::string_view bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
}

std::string escaped(std::string_view text, bool (*stays)(char)) {
    const auto* first = std::find_if_not(text.begin(), text.end(), stays);
    if (first == text.end()) return std::string(text);
    std::string out;
    while (!text.empty()) {
        std::size_t bytes = 1;
        bool is_kept = stays(text[0]);
        if (!is_kept && (text[0] & 0x80) != 0) {
            const Letter letter = letter_at(text);
            bytes = std::max<std::size_t>(letter.bytes, 1);
            is_kept = letter.bytes != 0 && !acts_on_terminals(letter.code);
        }
        if (is_kept) {
            out += text.substr(0, bytes);
        } else {
            add_escaped(out, text.substr(0, bytes));
        }
        text.remove_prefix(bytes);
    }
    return out;
}

}  // namespace

std::string printable(std::string_view text) { return escaped(text, &is_plain); }
std::string printable_lines(std::string_view text) { return escaped(text, &is_plain_or_layout); }

}  // namespace okksim
