// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/mlir/mlir_elements.h"

#include <bit>
#include <charconv>
#include <cstring>

#include "sim/graph/element.h"
#include "sim/graph/mlir/mlir_characters.h"
#include "sim/graph/mlir/mlir_real.h"

namespace okksim::sim::graph {

ElementPacker::ElementPacker(TextReport& report, const MlirType& type, std::uint64_t capacity)
    : report_(report),
      type_(type.type),
      bytes_each_(static_cast<std::size_t>(storage_bits(type.type)) / 8),
      capacity_(capacity),
      bytes_(storage_bytes(type_, capacity)) {
    const int bits = type_ == DType::kBool ? 1 : storage_bits(type_);
    most_ = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    least_ = type.is_unsigned ? 0 : std::uint64_t{1} << (bits - 1);
}

bool ElementPacker::is_within(bool is_negative, std::uint64_t magnitude) const {
    return is_negative ? magnitude <= least_ : magnitude <= most_;
}

void ElementPacker::put(std::uint64_t bits) {
    last_ = bits;
    if (size_ < capacity_) {  // excess elements are counted
        if (type_ == DType::kI4) {
            const auto nibble = static_cast<std::byte>(bits & 0x0F);
            bytes_[size_ / 2] |= size_ % 2 == 0 ? nibble : nibble << 4;
        } else {
            std::memcpy(bytes_.data() + size_ * bytes_each_, &bits, bytes_each_);  // little-endian
        }
    }
    ++size_;
}

void ElementPacker::fill(std::uint64_t count) {
    bytes_.resize(storage_bytes(type_, count));
    capacity_ = count;
    if (size_ == 0) return;
    while (size_ < count) put(last_);
}

namespace {

/// Returns the position after ", " if a plain number follows; otherwise `at`.
const char* next_number(const char* at, const char* end) {
    if (at >= end || *at != ',') return at;
    const char* next = at + 1;
    while (next < end && is_space(*next)) ++next;
    return next < end && (is_digit(*next) || *next == '-') ? next : at;
}

/// The digits of a number.
struct Digits {
    std::uint64_t value = 0;
    std::ptrdiff_t count = 0;
};

Digits digits_one_by_one(const char* at) {
    Digits digits;
    for (; is_digit(*at); ++at, ++digits.count) {
        digits.value = digits.value * 10 + static_cast<std::uint64_t>(*at - '0');
    }
    return digits;
}

/// Returns eight characters, in which each digit becomes its value.
std::uint64_t eight_at(const char* at) {
    constexpr std::uint64_t kZeros = 0x3030303030303030;
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, sizeof bytes);
    return bytes ^ kZeros;
}

/// Sets the high bit of every byte that is not a digit.
std::uint64_t no_digits(std::uint64_t bytes) {
    constexpr std::uint64_t kAbove9 = 0x7676767676767676, kHighBits = 0x8080808080808080;
    return ((bytes + kAbove9) | bytes) & kHighBits;
}

/// Returns the number of the first `count` digits, 1 to 8. (Little-endian, as all hosts of okksim
/// are.)
std::uint64_t value_of_digits(std::uint64_t bytes, int count) {
    // Adds leading zeros, then combines pairs of digits, and pairs of those.
    bytes <<= 8 * (8 - count);
    bytes = bytes * 10 + (bytes >> 8);
    constexpr std::uint64_t kPairs = 0x000000FF000000FF;
    constexpr std::uint64_t kHigh = 1000000ull << 32 | 100, kLow = 10000ull << 32 | 1;
    return ((bytes & kPairs) * kHigh + (bytes >> 16 & kPairs) * kLow) >> 32;
}

/// Parses up to seven digits without a branch on their number, and more digits one by one. Reads
/// eight bytes.
Digits digits_at_once(const char* at) {
    const std::uint64_t bytes = eight_at(at);
    const std::uint64_t others = no_digits(bytes);
    if (others == 0) return digits_one_by_one(at);
    const int count = std::countr_zero(others) / 8;
    if (count == 0) return {};
    return {value_of_digits(bytes, count), count};
}

/// A number of up to seven characters, including its sign.
struct ShortNumber {
    std::uint64_t magnitude = 0;
    std::uint64_t negative = 0;  ///< 1 or 0
    int length = 0;              ///< 0: not a number, or a longer one
};

/// Parses a short number; reads eight bytes. The number's end does not depend on its sign, so the
/// processor can start the next number early.
ShortNumber short_number(const char* at) {
    std::uint64_t bytes = eight_at(at);
    const std::uint64_t others = no_digits(bytes);
    const std::uint64_t negative = *at == '-' ? 1 : 0;
    constexpr std::uint64_t kFirst = 0xFF;
    const std::uint64_t ends = others & ~kFirst;
    const bool begins = negative != 0 || (others & kFirst) == 0;
    const int length = std::countr_zero(ends) / 8;
    if (!begins || ends == 0 || length <= static_cast<int>(negative)) return {};
    bytes &= ~(kFirst & (0 - negative));  // a sign counts as a leading zero
    return {value_of_digits(bytes, length), negative, length};
}

bool separates(const char* at) { return at[0] == ',' && at[1] == ' '; }

}  // namespace

/// Parses decimal integers, which are nearly all elements. Stops at another form or an integer out
/// of range. The text continues after `end` with the '>' that ends the elements, so digits need no
/// bounds check.
template <std::size_t width>
std::size_t ElementPacker::add_plain_integers(std::string_view text, std::size_t at,
                                              std::size_t end) {
    constexpr std::ptrdiff_t kSafeDigits = 18, kAtOnce = 8, kWithSeparator = 10;
    const char* const text_end = text.data() + text.size();
    const char* next = text.data() + at;
    const char* const last = text.data() + end;
    std::byte* out = bytes_.data() + size_ * width;
    std::byte* const out_end = bytes_.data() + capacity_ * width;
    const std::uint64_t most = most_, least = least_;
    const char* behind = next;
    std::uint64_t value = last_;
    while (out < out_end) {
        if (text_end - next >= kWithSeparator) {
            const ShortNumber number = short_number(next);
            const char* const after = next + number.length;
            const std::uint64_t limit = number.negative != 0 ? least : most;
            if (number.length != 0 && number.magnitude <= limit && separates(after)) {
                value = (number.magnitude ^ (0 - number.negative)) + number.negative;
                std::memcpy(out, &value, width);  // little-endian
                out += width;
                behind = after;
                next = next_number(after, last);
                if (next == after) break;
                continue;
            }
        }
        const std::uint64_t negative = *next == '-' ? 1 : 0;
        const char* const first = next + negative;
        const Digits digits =
            text_end - first >= kAtOnce ? digits_at_once(first) : digits_one_by_one(first);
        const char* const digit = first + digits.count;
        const std::uint64_t limit = negative != 0 ? least : most;
        if (digits.count == 0 || digits.count > kSafeDigits || *digit == 'x' || *digit == '.' ||
            digits.value > limit) {
            break;
        }
        value = (digits.value ^ (0 - negative)) + negative;
        std::memcpy(out, &value, width);  // little-endian
        out += width;
        behind = digit;
        next = next_number(digit, last);
        if (next == digit) break;
    }
    size_ = static_cast<std::uint64_t>(out - bytes_.data()) / width;
    last_ = value;
    return static_cast<std::size_t>(behind - text.data());
}

/// Parses decimal fp32; stops at another form.
std::size_t ElementPacker::add_plain_reals(std::string_view text, std::size_t at, std::size_t end) {
    const char* next = text.data() + at;
    const char* const last = text.data() + end;
    const char* behind = next;
    while (size_ < capacity_) {
        double value = 0;
        const auto result = std::from_chars(next, last, value);
        const bool has_point =
            std::memchr(next, '.', static_cast<std::size_t>(result.ptr - next)) != nullptr;
        if (result.ec != std::errc{} || !has_point) break;
        last_ = std::bit_cast<std::uint32_t>(static_cast<float>(value));
        std::memcpy(bytes_.data() + size_ * sizeof(float), &last_, sizeof(float));
        ++size_;
        behind = result.ptr;
        next = next_number(behind, last);
        if (next == behind) break;
    }
    return static_cast<std::size_t>(behind - text.data());
}

std::size_t ElementPacker::add_plain(std::string_view text, std::size_t at, std::size_t end) {
    if (!is_digit(text[at]) && text[at] != '-') return at;
    switch (type_) {
        case DType::kI8: return add_plain_integers<1>(text, at, end);
        case DType::kI16: return add_plain_integers<2>(text, at, end);
        case DType::kI32: return add_plain_integers<4>(text, at, end);
        case DType::kI48: return add_plain_integers<6>(text, at, end);
        case DType::kShape: return add_plain_integers<8>(text, at, end);
        case DType::kFp32: return add_plain_reals(text, at, end);
        case DType::kUnknown:
        case DType::kBool:
        case DType::kI4:
        case DType::kFp16:
        case DType::kBf16:
        case DType::kFp8E4M3:
        case DType::kFp8E5M2: break;
    }
    return at;
}

std::size_t ElementPacker::add(std::string_view text, std::size_t at, std::size_t end) {
    const std::size_t behind = add_plain(text, at, end);
    return behind != at ? behind : add_one(text, at, end);
}

std::size_t ElementPacker::add_one(std::string_view text, std::size_t at, std::size_t end) {
    return is_floating_point(type_) ? add_real(text, at, end) : add_integer(text, at, end);
}

std::size_t ElementPacker::add_integer(std::string_view text, std::size_t at, std::size_t end) {
    const std::string_view rest = text.substr(at, end - at);
    if (rest.starts_with("true") || rest.starts_with("false")) {
        if (type_ != DType::kBool) report_.fatal(at, "expected a number");
        const bool truth = rest[0] == 't';
        put(truth ? 1 : 0);
        return at + (truth ? 4 : 5);
    }
    const bool is_negative = rest.starts_with('-');
    std::size_t digits = at + (is_negative ? 1 : 0);
    const bool is_hex = text.substr(digits, 2) == "0x";
    if (is_hex) digits += 2;
    std::uint64_t magnitude = 0;
    const auto result =
        std::from_chars(text.data() + digits, text.data() + end, magnitude, is_hex ? 16 : 10);
    if (result.ec == std::errc::invalid_argument) report_.fatal(at, "expected a number");
    const std::size_t after = static_cast<std::size_t>(result.ptr - text.data());
    if (after < end && text[after] == '.') report_.fatal(at, "expected an integer");
    if (result.ec == std::errc::result_out_of_range || !is_within(is_negative, magnitude)) {
        report_.error(at, "the value does not fit in " + std::string(least_ == 0 ? "u" : "") +
                              std::string(dtype_name(type_)));
        magnitude = 0;
    }
    std::uint64_t value = is_negative ? ~magnitude + 1 : magnitude;
    if (type_ == DType::kBool) value &= 1;
    put(value);
    return after;
}

std::size_t ElementPacker::add_real(std::string_view text, std::size_t at, std::size_t end) {
    const char* last = text.data() + end;
    std::size_t digits = at + (text[at] == '-' ? 1 : 0);
    if (text.substr(digits, 2) == "0x") {
        std::uint64_t bits = 0;
        const auto result = std::from_chars(text.data() + digits + 2, last, bits, 16);
        if (result.ec != std::errc{} || (bits >> storage_bits(type_)) != 0) {
            report_.error(at, "the bits do not fit in " + std::string(dtype_name(type_)));
            bits = 0;
        }
        if (digits != at) bits ^= std::uint64_t{1} << (storage_bits(type_) - 1);
        put(bits);
        return static_cast<std::size_t>(result.ptr - text.data());
    }
    const MlirReal real = read_real(text.substr(at, end - at));
    if (real.size == 0) report_.fatal(at, "expected a number");
    const std::string_view literal = text.substr(at, real.size);
    if (literal.find('.') == std::string_view::npos && !has_warned_) {
        has_warned_ = true;
        report_.warning(at, "an integer among floating-point values is read as their number");
    }
    put(encode_float(type_, real.value));
    return at + real.size;
}

}  // namespace okksim::sim::graph
