// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/typed/float_elements.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "isa/errors.h"

namespace okksim::models {
namespace {

/// A binary format of floating point: sign, exponent, fraction.
struct Format {
    int exponent_bits;
    int fraction_bits;
    bool has_denormals;

    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    std::uint32_t infinity() const {
        return ((std::uint32_t{1} << exponent_bits) - 1) << fraction_bits;
    }
    std::uint32_t sign() const { return std::uint32_t{1} << (exponent_bits + fraction_bits); }
};

Format format_of(isa::ElementType type) {
    switch (type) {
        case isa::ElementType::kFp16: return {5, 10, true};
        case isa::ElementType::kBf16: return {8, 7, false};
        case isa::ElementType::kFp32: return {8, 23, false};
        default: break;
    }
    OKKSIM_CHECK(false);
}

}  // namespace

double float_value(isa::ElementType type, std::uint32_t bits) {
    const Format format = format_of(type);
    const std::uint32_t magnitude = bits & (format.sign() - 1);
    const double sign = (bits & format.sign()) != 0 ? -1.0 : 1.0;
    if (magnitude > format.infinity()) return std::numeric_limits<double>::quiet_NaN();
    if (magnitude == format.infinity()) return sign * std::numeric_limits<double>::infinity();
    const int exponent = static_cast<int>(magnitude >> format.fraction_bits);
    const std::uint32_t one = std::uint32_t{1} << format.fraction_bits;
    const std::uint32_t fraction = magnitude & (one - 1);
    if (exponent == 0 && !format.has_denormals) return sign * 0.0;
    const std::uint32_t significand = exponent == 0 ? fraction : fraction + one;
    const int unit = std::max(exponent, 1) - format.bias() - format.fraction_bits;
    return sign * std::ldexp(static_cast<double>(significand), unit);
}

std::uint32_t float_bits_of(isa::ElementType type, double value) {
    if (type == isa::ElementType::kFp32 && std::abs(value) >= std::numeric_limits<float>::min()) {
        return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    }
    const Format format = format_of(type);
    const std::uint32_t sign = std::signbit(value) ? format.sign() : 0;
    if (std::isnan(value)) return format.infinity() | 1u << (format.fraction_bits - 1);
    if (std::isinf(value)) return sign | format.infinity();
    if (value == 0) return sign;
    // The unit of the last place, that of denormals at least; the quotient is exact.
    const int least = 1 - format.bias();
    const int exponent = std::max(std::ilogb(value), least);
    const double units =
        std::nearbyint(std::ldexp(std::abs(value), format.fraction_bits - exponent));
    const auto whole = static_cast<std::uint32_t>(units);
    const std::uint32_t one = std::uint32_t{1} << format.fraction_bits;
    if (whole < one) return format.has_denormals ? sign | whole : sign;
    // A carry into the next power moves on to the next exponent by itself.
    const std::uint64_t magnitude =
        (static_cast<std::uint64_t>(exponent - least + 1) << format.fraction_bits) + (whole - one);
    return sign | static_cast<std::uint32_t>(std::min<std::uint64_t>(magnitude, format.infinity()));
}

}  // namespace okksim::models
