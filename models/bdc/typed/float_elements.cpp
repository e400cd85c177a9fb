// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/typed/float_elements.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "isa/base/errors.h"

namespace okksim::models {
namespace {

/// A binary format of floating point: sign, exponent, fraction.
struct Format {
    int exponent_bits;
    int fraction_bits;
    bool has_denormals;

    constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    constexpr std::uint32_t infinity() const {
        return ((std::uint32_t{1} << exponent_bits) - 1) << fraction_bits;
    }
    constexpr std::uint32_t sign() const {
        return std::uint32_t{1} << (exponent_bits + fraction_bits);
    }
};

constexpr Format kFp16{5, 10, true};
constexpr Format kBf16{8, 7, false};
constexpr Format kFp32{8, 23, false};

Format format_of(isa::ElementType type) {
    switch (type) {
        case isa::ElementType::kFp16: return kFp16;
        case isa::ElementType::kBf16: return kBf16;
        case isa::ElementType::kFp32: return kFp32;
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
    // Unit in the last place, at least that of denormals. The quotient is exact.
    const int least = 1 - format.bias();
    const int exponent = std::max(std::ilogb(value), least);
    const double units =
        std::nearbyint(std::ldexp(std::abs(value), format.fraction_bits - exponent));
    const auto whole = static_cast<std::uint32_t>(units);
    const std::uint32_t one = std::uint32_t{1} << format.fraction_bits;
    if (whole < one) return format.has_denormals ? sign | whole : sign;
    // A carry into the next power increments the exponent.
    const std::uint64_t magnitude =
        (static_cast<std::uint64_t>(exponent - least + 1) << format.fraction_bits) + (whole - one);
    return sign | static_cast<std::uint32_t>(std::min<std::uint64_t>(magnitude, format.infinity()));
}

namespace {

using HalfValues = std::array<float, std::size_t{1} << 16>;

HalfValues values_of(isa::ElementType type) {
    HalfValues values{};
    for (std::uint32_t bits = 0; bits < values.size(); ++bits) {
        values[bits] = static_cast<float>(float_value(type, bits));
    }
    return values;
}

const HalfValues& half_values(isa::ElementType type) {
    static const HalfValues fp16 = values_of(isa::ElementType::kFp16);
    static const HalfValues bf16 = values_of(isa::ElementType::kBf16);
    return type == isa::ElementType::kFp16 ? fp16 : bf16;
}

/// Narrows a number that neither becomes a denormal nor exceeds the format; others take the slow
/// path.
template <const Format& kFormat>
std::uint16_t narrowed(isa::ElementType type, float value) {
    constexpr int kShift = kFp32.fraction_bits - kFormat.fraction_bits;  // dropped bits
    constexpr int kSignShift = kFp32.exponent_bits - kFormat.exponent_bits + kShift;
    constexpr auto kRebias = static_cast<std::uint32_t>(kFp32.bias() - kFormat.bias())
                             << kFp32.fraction_bits;
    constexpr std::uint32_t kLeast = kRebias + (1u << kFp32.fraction_bits);
    constexpr std::uint32_t kInfinity = (kFormat.infinity() << kShift) + kRebias;
    constexpr std::uint32_t kMagnitude = kFp32.sign() - 1;
    constexpr std::uint32_t kBelowHalf = (1u << (kShift - 1)) - 1;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & kMagnitude;
    if (magnitude < kLeast || magnitude >= kInfinity) {
        return static_cast<std::uint16_t>(float_bits_of(type, value));
    }
    // Ties to even. A carry increments the exponent, finally to infinity.
    const std::uint32_t rounded = magnitude + kBelowHalf + (magnitude >> kShift & 1);
    return static_cast<std::uint16_t>((rounded - kRebias) >> kShift |
                                      (bits & kFp32.sign()) >> kSignShift);
}

}  // namespace

float half_value(isa::ElementType type, std::uint16_t bits) { return half_values(type)[bits]; }

std::uint16_t half_bits(isa::ElementType type, float value) {
    return type == isa::ElementType::kFp16 ? narrowed<kFp16>(type, value)
                                           : narrowed<kBf16>(type, value);
}

void widen_halves(isa::ElementType type, const std::byte* from, std::int64_t count, float* to) {
    const HalfValues& values = half_values(type);
    for (std::int64_t i = 0; i < count; ++i) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, from + i * std::int64_t{sizeof bits}, sizeof bits);
        to[i] = values[bits];
    }
}

void narrow_halves(isa::ElementType type, const float* from, std::int64_t count, std::byte* to) {
    const auto narrow = [&](const auto& half) {
        for (std::int64_t i = 0; i < count; ++i) {
            const std::uint16_t bits = half(type, from[i]);
            std::memcpy(to + i * std::int64_t{sizeof bits}, &bits, sizeof bits);
        }
    };
    type == isa::ElementType::kFp16 ? narrow(narrowed<kFp16>) : narrow(narrowed<kBf16>);
}

}  // namespace okksim::models
