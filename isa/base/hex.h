// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>

namespace okksim::isa {

/// "0x" and the value's hexadecimal digits, with leading zeros up to `digits` of them.
inline std::string hex(std::uint64_t value, std::size_t digits = 1) {
    char text[16];
    const std::string number(text, std::to_chars(text, text + sizeof text, value, 16).ptr);
    const std::size_t zeros = digits > number.size() ? digits - number.size() : 0;
    return "0x" + std::string(zeros, '0') + number;
}

}  // namespace okksim::isa
