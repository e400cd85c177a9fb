// SPDX-License-Identifier: Apache-2.0
#include "tests/models/bdc/typed/reference_numbers.h"

#include <bit>
#include <cmath>
#include <stdexcept>

namespace okksim::tests {
namespace {

// 64 bits of significand represent every 48-bit integer exactly. They also represent every number
// of the three types and every value halfway between two of them.
using Exact = long double;
static_assert(__LDBL_MANT_DIG__ >= 64);

std::uint64_t infinity_of(const TypeFacts& type) {
    return ((std::uint64_t{1} << type.exponent_bits) - 1) << type.fraction_bits;
}
std::uint64_t sign_of(const TypeFacts& type) {
    return std::uint64_t{1} << (type.exponent_bits + type.fraction_bits);
}

/// The number that the magnitude bits represent; infinity is the next power of two.
Exact magnitude_value(const TypeFacts& type, std::uint64_t magnitude) {
    const int bias = (1 << (type.exponent_bits - 1)) - 1;
    const auto exponent = static_cast<int>(magnitude >> type.fraction_bits);
    const std::uint64_t fraction = magnitude & ((std::uint64_t{1} << type.fraction_bits) - 1);
    const Exact unit = std::ldexp(Exact{1}, -type.fraction_bits);
    if (exponent == 0) return std::ldexp(static_cast<Exact>(fraction) * unit, 1 - bias);
    return std::ldexp(1 + static_cast<Exact>(fraction) * unit, exponent - bias);
}

bool is_flushed(const TypeFacts& type, std::uint64_t magnitude) {
    return !type.has_denormals && magnitude >> type.fraction_bits == 0;
}

Exact value_of(const TypeFacts& type, std::uint64_t bits) {
    const std::uint64_t magnitude = bits & (sign_of(type) - 1);
    Exact value = is_flushed(type, magnitude) ? 0 : magnitude_value(type, magnitude);
    if (magnitude == infinity_of(type)) value = HUGE_VALL;
    if (magnitude > infinity_of(type)) return std::nan("");
    return (bits & sign_of(type)) != 0 ? -value : value;
}

std::uint64_t nearest_bits(const TypeFacts& type, Exact value) {
    if (std::isnan(value)) {
        return infinity_of(type) | std::uint64_t{1} << (type.fraction_bits - 1);
    }
    const std::uint64_t sign = std::signbit(value) ? sign_of(type) : 0;
    const Exact size = std::fabs(value);
    // The last number that is not above the value.
    std::uint64_t below = 0;
    std::uint64_t beyond = infinity_of(type) + 1;
    while (beyond - below > 1) {
        const std::uint64_t middle = below + (beyond - below) / 2;
        (magnitude_value(type, middle) <= size ? below : beyond) = middle;
    }
    if (below == infinity_of(type)) return sign | below;
    const Exact half = (magnitude_value(type, below) + magnitude_value(type, below + 1)) / 2;
    const bool is_up = size > half || (size == half && below % 2 == 1);
    const std::uint64_t magnitude = below + (is_up ? 1 : 0);
    return sign | (is_flushed(type, magnitude) ? 0 : magnitude);
}

/// Nearest integer, ties to even, saturated; NaN becomes the greatest integer.
Wide nearest_integer(const TypeFacts& type, Exact value) {
    if (std::isnan(value)) return type.high();
    const auto high = static_cast<Exact>(static_cast<std::int64_t>(type.high()));
    const auto low = static_cast<Exact>(static_cast<std::int64_t>(type.low()));
    if (value >= high) return type.high();
    if (value <= low) return type.low();
    const Exact floor = std::floor(value);
    const auto whole = static_cast<std::int64_t>(floor);
    const Exact rest = value - floor;
    return whole + (rest > Exact{0.5} || (rest == Exact{0.5} && whole % 2 != 0) ? 1 : 0);
}

}  // namespace

TypeFacts facts_of(isa::ElementType type) {
    switch (type) {
        case isa::ElementType::kInt8: return {1, 8, true};
        case isa::ElementType::kUint8: return {1, 8, false};
        case isa::ElementType::kInt16: return {2, 16, true};
        case isa::ElementType::kUint16: return {2, 16, false};
        case isa::ElementType::kInt32: return {4, 32, true};
        case isa::ElementType::kInt48: return {8, 48, true};
        case isa::ElementType::kFp16: return {2, 16, false, 5, 10, true};
        case isa::ElementType::kBf16: return {2, 16, false, 8, 7, false};
        case isa::ElementType::kFp32: return {4, 32, false, 8, 23, false};
    }
    throw std::invalid_argument("no element type");
}

Wide cast_number(Wide value, isa::ElementType from, isa::ElementType to) {
    const TypeFacts source = facts_of(from);
    const TypeFacts target = facts_of(to);
    if (!source.is_float() && !target.is_float()) return value;
    const Exact exact = source.is_float() ? value_of(source, static_cast<std::uint64_t>(value))
                                          : static_cast<Exact>(static_cast<std::int64_t>(value));
    if (target.is_float()) return static_cast<Wide>(nearest_bits(target, exact));
    return nearest_integer(target, exact);
}

float float_number(Wide bits, isa::ElementType from) {
    const auto word = static_cast<std::uint32_t>(cast_number(bits, from, isa::ElementType::kFp32));
    return std::bit_cast<float>(word);
}

Wide float_element(float value, isa::ElementType to) {
    return cast_number(Wide{std::bit_cast<std::uint32_t>(value)}, isa::ElementType::kFp32, to);
}

}  // namespace okksim::tests
