// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "isa/operands.h"

/// Operations on integers, element by element, as rows of isa/feature_instructions.def name them.
/// An operation is constructed from the operands of its command. Its sources are 64-bit numbers in
/// the order of the operands. The store wraps or saturates the result.
namespace okksim::models::typed_ops {

constexpr std::int64_t wrapped(std::uint64_t value) { return static_cast<std::int64_t>(value); }
constexpr std::uint64_t bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

/// The operation with its sources exchanged.
template <typename Op>
struct Swapped : Op {
    using Op::Op;
    std::int64_t operator()(std::int64_t a, std::int64_t b) const { return Op::operator()(b, a); }
};

struct Add {
    explicit Add(const auto&) {}
    static constexpr int kSources = 2;
    std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }
};

struct Subtract {
    explicit Subtract(const auto&) {}
    static constexpr int kSources = 2;
    std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a - b; }
};

struct Maximum {
    explicit Maximum(const auto&) {}
    static constexpr int kSources = 2;
    std::int64_t operator()(std::int64_t a, std::int64_t b) const { return std::max(a, b); }
};

struct Minimum {
    explicit Minimum(const auto&) {}
    static constexpr int kSources = 2;
    std::int64_t operator()(std::int64_t a, std::int64_t b) const { return std::min(a, b); }
};

struct Absolute {
    explicit Absolute(const auto&) {}
    static constexpr int kSources = 1;
    std::int64_t operator()(std::int64_t a) const { return a < 0 ? -a : a; }
};

/// (a * b) >> shift, half up; the product of two words fits.
struct Multiply {
    explicit Multiply(const isa::IntProduct& form) : shift(form.rshift) {}
    static constexpr int kSources = 2;
    std::int64_t operator()(std::int64_t a, std::int64_t b) const {
        const std::int64_t product = a * b;
        // floor((p + 2^(s-1)) / 2^s) without a sum that would not fit.
        return shift == 0 ? product : ((product >> (shift - 1)) + 1) >> 1;
    }
    int shift;
};

constexpr int kAmountBits = 31;

struct ShiftLeft {
    explicit ShiftLeft(const auto&) {}
    static constexpr int kSources = 2;
    std::int64_t operator()(std::int64_t a, std::int64_t b) const {
        return wrapped(bits(a) << (b & kAmountBits));
    }
};

struct ShiftRight {
    explicit ShiftRight(const auto&) {}
    static constexpr int kSources = 2;
    std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a >> (b & kAmountBits); }
};

struct ShiftRightRound {
    explicit ShiftRightRound(const auto&) {}
    static constexpr int kSources = 2;
    std::int64_t operator()(std::int64_t a, std::int64_t b) const {
        const std::int64_t amount = b & kAmountBits;
        return amount == 0 ? a : (a >> amount) + ((a >> (amount - 1)) & 1);
    }
};

/// Ones in the bits of an element.
constexpr std::uint64_t ones(isa::ElementType type) {
    return std::numeric_limits<std::uint64_t>::max() >> (64 - 8 * isa::element_bytes(type));
}

struct ShiftRightLogical {
    explicit ShiftRightLogical(const isa::IntBinary& form) : mask(ones(form.src0_type)) {}
    static constexpr int kSources = 2;
    std::int64_t operator()(std::int64_t a, std::int64_t b) const {
        return wrapped((bits(a) & mask) >> (b & kAmountBits));
    }
    std::uint64_t mask;
};

struct Compared {
    explicit Compared(const isa::IntCompare& form) : selected(form.select_val.as_int()) {}
    static constexpr int kSources = 2;
    std::int64_t selected;
};
struct Greater : Compared {
    using Compared::Compared;
    std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a > b ? selected : 0; }
};
struct GreaterEqual : Compared {
    using Compared::Compared;
    std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a >= b ? selected : 0; }
};
struct Equal : Compared {
    using Compared::Compared;
    std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a == b ? selected : 0; }
};

struct Select {
    explicit Select(const auto&) {}
    static constexpr int kSources = 3;
    std::int64_t operator()(std::int64_t condition, std::int64_t a, std::int64_t b) const {
        return condition != 0 ? a : b;
    }
};

struct Divide {
    explicit Divide(const auto&) {}
    static constexpr int kSources = 2;
    std::int64_t operator()(std::int64_t a, std::int64_t b) const { return b == 0 ? 0 : a / b; }
};

struct LeadingZeros {
    explicit LeadingZeros(const isa::IntUnary& form) : mask(ones(form.src_type)) {}
    static constexpr int kSources = 1;
    std::int64_t operator()(std::int64_t a) const {
        return std::countl_zero(bits(a) & mask) - std::countl_zero(mask);
    }
    std::uint64_t mask;
};

/// (value - input_zp) * multiplier >> shift with rounding (TOSA 1.0.1, 4.5.5 apply_scale_32 and
/// apply_scale_16), in 64 bits that wrap; then the output's zero point and limits.
struct Scaling {
    explicit Scaling(const auto& form)
        : input_zp(form.input_zp),
          output_zp(form.output_zp),
          low(form.low),
          high(form.high),
          rounds_twice(form.rounds_twice != 0) {}

    std::int64_t scaled(std::int64_t value, std::int64_t multiplier, std::int64_t shift) const {
        constexpr std::int64_t kShifts = 63;
        constexpr std::int64_t kFirstRounding = std::int64_t{1} << 30;
        const std::int64_t offset = value - input_zp;
        const int amount = static_cast<int>(shift & kShifts);
        std::uint64_t sum = bits(offset) * bits(multiplier);
        if (amount > 0) sum += std::uint64_t{1} << (amount - 1);
        if (rounds_twice && amount > 31) {
            sum += bits(offset >= 0 ? kFirstRounding : -kFirstRounding);
        }
        // Beyond 33 bits, the 32-bit zero point cannot bring a value back into range.
        constexpr std::int64_t kBeyond = std::int64_t{1} << 32;
        const std::int64_t value_there = std::clamp(wrapped(sum) >> amount, -kBeyond, kBeyond);
        const std::int64_t result = std::clamp<std::int64_t>(
            value_there + output_zp, std::numeric_limits<std::int32_t>::min(),
            std::numeric_limits<std::int32_t>::max());
        return std::min(std::max(result, low), high);
    }

    std::int64_t input_zp, output_zp, low, high;
    bool rounds_twice;
};

struct Rescale : Scaling {
    using Scaling::Scaling;
    static constexpr int kSources = 3;
    std::int64_t operator()(std::int64_t value, std::int64_t multiplier, std::int64_t shift) const {
        return scaled(value, multiplier, shift);
    }
};

struct RescaleConstant : Scaling {
    explicit RescaleConstant(const isa::IntRescaleConstant& form)
        : Scaling(form), multiplier(form.multiplier), shift(form.rshift) {}
    static constexpr int kSources = 1;
    std::int64_t operator()(std::int64_t value) const { return scaled(value, multiplier, shift); }
    std::int64_t multiplier, shift;
};

template <typename Element>
std::int64_t entry(const std::byte* table, std::int64_t index) {
    Element value;
    std::memcpy(&value, table + index * static_cast<std::int64_t>(sizeof value), sizeof value);
    return value;
}

/// TOSA 1.0.1, 2.5.17 for int8.
struct Lookup8 {
    explicit Lookup8(const auto&) {}
    static constexpr int kSources = 1;
    std::int64_t operator()(std::int64_t value, const std::byte* table) const {
        return entry<std::int8_t>(table, std::int64_t{static_cast<std::int8_t>(value)} - INT8_MIN);
    }
};

/// TOSA 1.0.1, 1.12.5 apply_lookup_s: between two entries in steps of 1/128.
struct Lookup16 {
    explicit Lookup16(const auto&) {}
    static constexpr int kSources = 1;
    static constexpr int kFractionBits = 7;
    std::int64_t operator()(std::int64_t value, const std::byte* table) const {
        const std::int64_t position = std::int64_t{static_cast<std::int16_t>(value)} - INT16_MIN;
        const std::int64_t index = position >> kFractionBits;
        const std::int64_t fraction = position & ((1 << kFractionBits) - 1);
        const auto base = entry<std::int16_t>(table, index);
        const auto slope = entry<std::int16_t>(table, index + 1) - base;
        return base * (1 << kFractionBits) + slope * fraction;
    }
};

}  // namespace okksim::models::typed_ops
