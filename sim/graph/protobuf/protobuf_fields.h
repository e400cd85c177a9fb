// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace okksim::sim::graph {

/// Bytes that are not a protobuf message. `at` is where reading stopped.
class ProtobufDamage : public std::runtime_error {
 public:
    ProtobufDamage(const std::byte* at, const std::string& what)
        : std::runtime_error(what), at_(at) {}
    const std::byte* at() const { return at_; }

 private:
    const std::byte* at_;
};

/// Iterates over the fields of a protobuf message. Values are views of the message.
class ProtobufFields {
 public:
    enum class Kind : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

    explicit ProtobufFields(std::span<const std::byte> message) : rest_(message) {}

    /// Moves to the next field. Returns false at the end. ProtobufDamage if the bytes end within a
    /// field, or if they are not a field.
    bool next() {
        if (advance()) return true;
        if (is_damaged_) throw ProtobufDamage(rest_.data(), damage());
        return false;
    }
    /// Moves to the next field. Returns false at the end, or if the field is damaged.
    bool advance();
    bool is_damaged() const { return is_damaged_; }
    std::uint32_t number() const { return number_; }  ///< 0 if it is damaged
    Kind kind() const { return kind_; }
    /// Returns the field with its number and length; for a damaged field, all bytes from its
    /// beginning.
    std::span<const std::byte> whole() const { return whole_; }
    /// Returns the number of bytes that a truncated field lacks; 0 for other damage.
    std::uint64_t missing() const { return missing_; }
    /// Returns the bytes of kBytes that the message has, also of a truncated field.
    std::span<const std::byte> present_bytes() const { return bytes_; }

    /// Return the value. ProtobufDamage if the field has another wire type.
    std::uint64_t integer() const;
    float real32() const;
    std::span<const std::byte> bytes() const;
    std::string_view text() const;

    /// Append the values of a repeated field, packed or one by one.
    void append_integers(std::vector<std::int64_t>& values) const;
    void append_reals(std::vector<float>& values) const;
    void append_doubles(std::vector<double>& values) const;

 private:
    [[noreturn]] void fail(const std::string& what) const {
        throw ProtobufDamage(rest_.data(), what);
    }
    void require(Kind kind) const;
    std::string damage() const;
    std::optional<std::uint64_t> take_varint();
    std::optional<std::uint64_t> take_fixed(std::size_t size);
    bool take_bytes();
    bool take_value();

    std::span<const std::byte> rest_;
    std::span<const std::byte> bytes_;
    std::span<const std::byte> whole_;
    std::uint64_t value_ = 0;
    std::uint64_t missing_ = 0;
    std::uint32_t number_ = 0;
    Kind kind_ = Kind::kVarint;
    bool is_damaged_ = false;
};

}  // namespace okksim::sim::graph
