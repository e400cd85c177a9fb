// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace okksim::isa {

/// FNV-1a, 64 bits: tells contents apart, is no protection against forgery. Values are kept in
/// files, so it never changes.
class Fnv1a {
 public:
    void add(std::string_view text) {
        for (const char c : text) add_byte(static_cast<std::uint8_t>(c));
    }
    void add(std::span<const std::byte> bytes) {
        for (const std::byte byte : bytes) add_byte(std::to_integer<std::uint8_t>(byte));
    }
    void add_byte(std::uint8_t byte) { value_ = (value_ ^ byte) * 0x100000001B3u; }
    std::uint64_t value() const { return value_; }

 private:
    std::uint64_t value_ = 0xCBF29CE484222325u;
};

}  // namespace okksim::isa
