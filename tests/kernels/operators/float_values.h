// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/tosa/tosa_types.h"
#include "tests/support/random_source.h"

/// Floating-point types of the specification as plain arithmetic on doubles: slow and obvious.
namespace okksim::tests {

struct FloatFormat {
    int exponent_bits;
    int fraction_bits;
    bool has_infinity;

    int bits() const { return 1 + exponent_bits + fraction_bits; }
    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    /// Exponent of the smallest normal number.
    int least_exponent() const { return 1 - bias(); }
    double least_normal() const { return std::ldexp(1.0, least_exponent()); }
    double largest() const {
        // E4M3 uses the highest exponent for numbers, except for its highest fraction (NaN).
        return has_infinity ? std::ldexp(2.0 - std::ldexp(1.0, -fraction_bits), bias())
                            : std::ldexp(1.75, bias() + 1);
    }
    /// One ULP of a number of this magnitude; infinite for infinity and NaN.
    double ulp(double magnitude) const {
        if (!std::isfinite(magnitude)) return std::numeric_limits<double>::infinity();
        const double reach = std::max(magnitude, least_normal());
        return std::ldexp(1.0, std::ilogb(reach) - fraction_bits);
    }
};

inline FloatFormat format_of(tosa::DType type) {
    switch (type) {
        case tosa::DType::kFp16: return {5, 10, true};
        case tosa::DType::kBf16: return {8, 7, true};
        case tosa::DType::kFp8E4M3: return {4, 3, false};
        case tosa::DType::kFp8E5M2: return {5, 2, true};
        default: return {8, 23, true};
    }
}

/// Number of a bit pattern.
inline double decode_float(tosa::DType type, std::int64_t bits) {
    const FloatFormat format = format_of(type);
    const std::int64_t fraction = bits & ((std::int64_t{1} << format.fraction_bits) - 1);
    const std::int64_t most_exponent = (std::int64_t{1} << format.exponent_bits) - 1;
    const std::int64_t exponent = bits >> format.fraction_bits & most_exponent;
    const bool negative = (bits >> (format.bits() - 1) & 1) != 0;
    double magnitude;
    const std::int64_t all_fraction = (std::int64_t{1} << format.fraction_bits) - 1;
    if (exponent == most_exponent && (format.has_infinity || fraction == all_fraction)) {
        magnitude = format.has_infinity && fraction == 0 ? std::numeric_limits<double>::infinity()
                                                         : std::numeric_limits<double>::quiet_NaN();
    } else if (exponent == 0) {
        magnitude = std::ldexp(static_cast<double>(fraction),
                               format.least_exponent() - format.fraction_bits);
    } else {
        magnitude = std::ldexp(static_cast<double>(fraction + all_fraction + 1),
                               static_cast<int>(exponent) - format.bias() - format.fraction_bits);
    }
    return negative ? -magnitude : magnitude;
}

/// The value rounded to the type: to nearest even; infinity or (E4M3) NaN beyond its range.
inline double round_float(tosa::DType type, double value) {
    const FloatFormat format = format_of(type);
    if (!std::isfinite(value) || value == 0) {
        return std::isinf(value) && !format.has_infinity ? std::nan("") : value;
    }
    const double unit = format.ulp(std::abs(value));
    const double rounded = std::nearbyint(value / unit) * unit;
    if (std::abs(rounded) <= format.largest()) return rounded;
    return format.has_infinity ? std::copysign(std::numeric_limits<double>::infinity(), value)
                               : std::nan("");
}

/// The specification lets fp16, bf16 and fp32 subnormals be zero; the machine flushes those of fp32
/// and bf16.
inline bool may_flush(tosa::DType type, double value) {
    return type != tosa::DType::kFp8E4M3 && type != tosa::DType::kFp8E5M2 &&
           std::abs(value) < format_of(type).least_normal();
}
inline double flushed(tosa::DType type, double value) {
    return may_flush(type, value) && type != tosa::DType::kFp16 ? std::copysign(0.0, value) : value;
}

/// A random bit pattern; special values and numbers of moderate size are more likely.
inline std::int64_t random_float_bits(tosa::DType type, RandomSource& random) {
    const FloatFormat format = format_of(type);
    const std::int64_t sign = random.below(2) << (format.bits() - 1);
    const std::int64_t magnitude_mask = (std::int64_t{1} << (format.bits() - 1)) - 1;
    const std::int64_t special = magnitude_mask ^ ((std::int64_t{1} << format.fraction_bits) - 1);
    switch (random.below(12)) {
        case 0: return sign;                                                          // zero
        case 1: return sign | special;                                                // infinity
        case 2: return sign | magnitude_mask;                                         // NaN
        case 3: return sign | random.below(std::int64_t{1} << format.fraction_bits);  // subnormal
        case 4: return sign | (special - 1);  // largest, for most types
        case 5:
        case 6:
        case 7: {
            const std::int64_t exponent = format.bias() + random.between(-3, 4);
            return sign | exponent << format.fraction_bits |
                   random.below(std::int64_t{1} << format.fraction_bits);
        }
        default: return sign | (static_cast<std::int64_t>(random.bits()) & magnitude_mask);
    }
}

}  // namespace okksim::tests
