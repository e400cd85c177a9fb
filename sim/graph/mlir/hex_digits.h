// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace okksim::sim::graph {

namespace hex {
inline constexpr auto kDigits = [] {
    std::array<std::int8_t, 256> digits{};
    for (auto& digit : digits) digit = -1;
    for (int i = 0; i < 10; ++i)
        digits[static_cast<std::size_t>('0' + i)] = static_cast<std::int8_t>(i);
    for (int i = 0; i < 6; ++i) {
        digits[static_cast<std::size_t>('a' + i)] = static_cast<std::int8_t>(10 + i);
        digits[static_cast<std::size_t>('A' + i)] = static_cast<std::int8_t>(10 + i);
    }
    return digits;
}();
}  // namespace hex

/// Returns the value of a hexadecimal digit; -1 for other characters.
inline int hex_digit(char c) { return hex::kDigits[static_cast<unsigned char>(c)]; }

/// Decodes pairs of digits into digits.size() / 2 bytes. Returns false if another character occurs.
inline bool decode_hex(std::string_view digits, std::byte* bytes) {
    int valid = 0;  // stays non-negative while all characters are digits
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        const int high = hex_digit(digits[i]);
        const int low = hex_digit(digits[i + 1]);
        valid |= high | low;
        bytes[i / 2] = static_cast<std::byte>(high * 16 + low);
    }
    return valid >= 0;
}

}  // namespace okksim::sim::graph
