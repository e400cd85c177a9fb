// SPDX-License-Identifier: Apache-2.0
#include "kernels/prim/float_formats.h"

#include <cmath>

#include "kernels/prim/raw.h"
#include "tests/kernels/prim/prim_test_values.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_fixture.h"

namespace okksim::tests {
namespace {

using namespace kernels::prim;
using Sources = std::span<const LocalTensor>;

/// A format by the definition of its standard: value of a bit pattern.
struct Definition {
    int exponent_bits;
    int fraction_bits;
    bool has_infinity;  ///< false: only the all-ones pattern is NaN (OCP OFP8 E4M3)

    int bits() const { return 1 + exponent_bits + fraction_bits; }
    int bias() const { return (1 << (exponent_bits - 1)) - 1; }

    double value(std::uint32_t pattern) const {
        const double sign = pattern >> (bits() - 1) != 0 ? -1.0 : 1.0;
        const int exponent =
            static_cast<int>(pattern >> fraction_bits) & ((1 << exponent_bits) - 1);
        const std::uint32_t fraction = pattern & ((1u << fraction_bits) - 1);
        const bool top = exponent == (1 << exponent_bits) - 1;
        if (has_infinity && top) return fraction != 0 ? NAN : sign * INFINITY;
        if (!has_infinity && top && fraction == (1u << fraction_bits) - 1) return NAN;
        if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias() - fraction_bits);
        return sign *
               std::ldexp((1u << fraction_bits) + fraction, exponent - bias() - fraction_bits);
    }

    /// Nearest pattern by search over all magnitudes; ties to the even pattern. The first magnitude
    /// beyond the finite ones represents its power of two.
    std::uint32_t nearest(double x) const {
        const std::uint32_t sign = std::signbit(x) ? 1u << (bits() - 1) : 0;
        if (std::isnan(x)) return sign | ((1u << (bits() - 1)) - 1);
        const double magnitude = std::abs(x);
        std::uint32_t low = 0;
        std::uint32_t high = last() + 1;
        while (high - low > 1) {
            const std::uint32_t middle = (low + high) / 2;
            (magnitude_value(middle) <= magnitude ? low : high) = middle;
        }
        const double below = magnitude - magnitude_value(low);
        const double above = magnitude_value(high) - magnitude;
        const bool up = above < below || (above == below && (low & 1) != 0);
        return sign | (up ? high : low);
    }

 private:
    /// The largest finite magnitude.
    std::uint32_t last() const {
        const std::uint32_t all = (1u << (bits() - 1)) - 1;
        return has_infinity ? (((1u << exponent_bits) - 1) << fraction_bits) - 1 : all - 1;
    }
    double magnitude_value(std::uint32_t pattern) const {
        if (pattern <= last()) return value(pattern);
        return value(last()) + (value(last()) - value(last() - 1));
    }
};

constexpr Definition kFp16{5, 10, true};
constexpr Definition kBf16{8, 7, true};
constexpr Definition kE4m3{4, 3, false};
constexpr Definition kE5m2{5, 2, true};

struct Conversion {
    const char* name;
    Definition format;
    std::function<void(const LocalTensor&, const LocalTensor&, Scratch&)> widen;
    std::function<void(const LocalTensor&, const LocalTensor&, Scratch&)> narrow;
    std::uint64_t widen_commands, narrow_commands;
};

const Conversion kConversions[] = {
    {"fp16", kFp16, fp16_to_float, float_to_fp16, 13, 20},
    {"bf16", kBf16, [](auto& d, auto& a, auto&) { bf16_to_float(d, a); }, float_to_bf16, 1, 14},
    {"e4m3", kE4m3, fp8e4m3_to_float, float_to_fp8e4m3, 13, 17},
    {"e5m2", kE5m2, fp8e5m2_to_float, float_to_fp8e5m2, 13, 20},
};

TEST_CASE("Every pattern of a narrow format becomes its fp32 value", "[prim]") {
    for (const Conversion& conversion : kConversions) {
        Words patterns;
        for (std::uint32_t p = 0; p < 1u << conversion.format.bits(); ++p) patterns.push_back(p);
        const Words columns[] = {patterns};
        const Applied applied =
            apply([&](auto& d, Sources s, auto& w) { conversion.widen(d, s[0], w); }, kWidenPlanes,
                  columns);
        CAPTURE(conversion.name);
        CHECK(applied.commands == conversion.widen_commands);
        for (const std::uint32_t p : patterns) {
            const double expected = conversion.format.value(p);
            const float actual = as_float(applied.words[p]);
            CAPTURE(p, expected, actual);
            if (std::isnan(expected)) {
                REQUIRE(std::isnan(actual));
            } else {
                REQUIRE(static_cast<double>(actual) == expected);
                REQUIRE(std::signbit(actual) == std::signbit(expected));
            }
        }
    }
}

/// fp32 values at, between and next to values of a format.
Words values_around(const Definition& format) {
    Words values = edge_floats();
    RandomSource random(51);
    for (int i = 0; i < 30000; ++i) {
        const auto pattern = static_cast<std::uint32_t>(random.below(1 << format.bits()));
        const auto value = static_cast<float>(format.value(pattern));
        const auto next = static_cast<float>(format.value(pattern ^ 1));
        const float middle = value * 0.5f + next * 0.5f;
        const auto step = static_cast<std::uint32_t>(random.between(-1, 1));
        values.push_back(as_bits(value) + step);
        values.push_back(as_bits(middle) + step);
        values.push_back(static_cast<std::uint32_t>(random.bits()));
        values.push_back(
            as_bits(std::ldexp(1.0f + static_cast<float>(random.below(1 << 20)) / (1 << 20),
                               static_cast<int>(random.between(-30, 20)))));
    }
    for (const float value :
         {447.0f, 448.0f, 463.9f, 464.0f, 464.1f, 480.0f, 496.0f, 512.0f, 57344.0f, 61439.0f,
          61440.0f, 61441.0f, 65504.0f, 65519.9f, 65520.0f, 65535.0f, 65536.0f}) {
        values.push_back(as_bits(value));
        values.push_back(as_bits(-value));
    }
    return values;
}

TEST_CASE("fp32 to narrow formats: nearest even, no saturation", "[prim]") {
    for (const Conversion& conversion : kConversions) {
        const Words values = values_around(conversion.format);
        const Words columns[] = {values};
        const Applied applied =
            apply([&](auto& d, Sources s, auto& w) { conversion.narrow(d, s[0], w); },
                  kNarrowPlanes, columns);
        CAPTURE(conversion.name);
        CHECK(applied.commands == conversion.narrow_commands);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const float value = as_float(values[i]);
            CAPTURE(values[i], value, applied.words[i]);
            REQUIRE(applied.words[i] >> conversion.format.bits() == 0);
            const double actual = conversion.format.value(applied.words[i]);
            if (std::isnan(value)) {
                REQUIRE(std::isnan(actual));
                continue;
            }
            const std::uint32_t expected = conversion.format.nearest(value);
            REQUIRE(applied.words[i] == expected);
        }
    }
}

TEST_CASE("int32 to bf16 rounds once", "[prim]") {
    Words values = integer_pairs(20000, 52).first;
    RandomSource random(53);
    for (int i = 0; i < 30000; ++i) {  // next to ties: 8 significant bits and a half
        const std::int64_t tie = (2 * random.between(128, 255) + 1) << random.between(0, 22);
        const std::int64_t value = tie + random.between(-2, 2);
        values.push_back(static_cast<std::uint32_t>(random.one_in(2) ? value : -value));
    }
    const Words columns[] = {values};
    const Applied applied = apply([](auto& d, Sources s, auto& w) { int32_to_bf16(d, s[0], w); },
                                  kInt32ToBf16Planes, columns);
    CHECK(applied.commands == 28);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = static_cast<std::int32_t>(values[i]);
        CAPTURE(value);
        REQUIRE(applied.words[i] == kBf16.nearest(value));
    }
}

}  // namespace
}  // namespace okksim::tests
