// SPDX-License-Identifier: Apache-2.0
#include "kernels/prim/elementary.h"

#include <cfloat>
#include <cmath>
#include <limits>

#include "kernels/prim/exponential.h"
#include "kernels/prim/raw.h"
#include "tests/kernels/prim/prim_test_values.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_fixture.h"

namespace okksim::tests {
namespace {

using namespace kernels::prim;
using Sources = std::span<const LocalTensor>;
/// 64 bits of significand: 40 more than fp32, so that the reference is practically exact.
using Wide = long double;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The specification's ULP of fp32 (TOSA 1.0.1, 4.5.3 tosa_reference_ulp).
double ulp_of(double reference) {
    return std::ldexp(1.0, std::max(std::ilogb(reference), -126) - 23);
}

/// Every 2^k with neighbours, edge patterns, random patterns and random values of a range; no
/// denormals.
Words operands(std::uint64_t seed, double low, double high) {
    Words values;
    for (const std::uint32_t bits : edge_floats()) values.push_back(bits);
    for (std::uint32_t exponent = 1; exponent < 255; ++exponent) {
        for (const std::uint32_t fraction : {0u, 1u, 0x3504F3u, 0x3504F4u, 0x7FFFFFu}) {
            values.push_back(exponent << 23 | fraction);
            values.push_back(exponent << 23 | fraction | 0x80000000u);
        }
    }
    RandomSource random(seed);
    for (int i = 0; i < 60000; ++i) {
        values.push_back(static_cast<std::uint32_t>(random.bits()));
        const double unit = static_cast<double>(random.below(1 << 24)) / (1 << 24);
        values.push_back(as_bits(static_cast<float>(low + (high - low) * unit)));
    }
    std::erase_if(values, [](std::uint32_t bits) {
        return (bits & 0x7F800000u) == 0 && (bits & 0x7FFFFFu) != 0;
    });
    return values;
}

/// The specification's comparison: error bounds past the largest number are infinite. Results below
/// the smallest normal number may be zero (TOSA 1.0.1, 4.5.3).
bool within(float actual, double reference, double bound) {
    if (std::isnan(reference)) return std::isnan(actual);
    if (std::isinf(reference)) return static_cast<double>(actual) == reference;
    double value = actual;
    if (reference < 0) {
        reference = -reference;
        value = -value;
    }
    double low = reference - bound;
    const double high = reference + bound > FLT_MAX ? INFINITY : reference + bound;
    if (low > FLT_MAX) low = INFINITY;
    if (value == 0) return low < FLT_MIN;
    return value >= low && value <= high;
}

struct Function {
    const char* name;
    void (*primitive)(const LocalTensor&, const LocalTensor&, Scratch&);
    int planes;
    std::uint64_t commands;
    Wide (*reference)(Wide);
    double low, high;  ///< range of half of the operands
    double ulps;       ///< what the header promises; 0 where it promises less
    /// The specification's error bound.
    double (*bound)(double x, double reference);
    double share = 1;  ///< of the bound that the header promises
};

Wide reciprocal_reference(Wide x) { return 1 / x; }
Wide rsqrt_reference(Wide x) { return 1 / sqrtl(x); }
Wide sigmoid_reference(Wide x) { return 1 / (1 + expl(-x)); }

/// calcAbsErrorBound<fp32> (TOSA 1.0.1, 4.5.3).
double absolute_bound(double magnitude, double bounds, double lowest, int divisor) {
    double value = std::max(std::abs(magnitude), std::ldexp(1.0, -126));
    if (lowest > 0) value = std::max(lowest / bounds, value);
    return std::ldexp(1.0, -23 / divisor) * value * bounds;
}

const Function kFunctions[] = {
    {"reciprocal", reciprocal_float, kReciprocalPlanes, 21, reciprocal_reference, -4, 4, 0.51,
     [](double, double r) { return ulp_of(r); }},
    {"rsqrt", rsqrt_float, kRsqrtPlanes, 26, rsqrt_reference, 0, 16, 1.6,
     [](double, double r) { return 2 * ulp_of(r); }},
    {"exp", exp_float, kExpPlanes, 21, expl, -90, 90, 0,
     [](double x, double r) { return absolute_bound(r, 3 + 2 * std::abs(x), 0, 1); }, 0.8},
    {"log", log_float, kLogPlanes, 46, logl, 0, 4, 1.5,
     [](double, double r) { return absolute_bound(r, 5, 0.5, 1); }},
    {"sin", sin_float, kTrigonometryPlanes, 36, sinl, -10, 10, 0,
     [](double x, double) {
         return std::max(absolute_bound(x, 2, 0, 2), M_PI * std::ldexp(1.0, -126));
     }},
    {"cos", cos_float, kTrigonometryPlanes, 35, cosl, -10, 10, 0,
     [](double x, double) { return absolute_bound(1 + std::abs(x), 1, 0, 2); }},
    {"tanh", tanh_float, kTanhPlanes, 37, tanhl, -10, 10, 4,
     [](double x, double r) { return absolute_bound(r, 4 * (3 + 2 * std::abs(x)), 0.5, 1); }},
    {"sigmoid", sigmoid_float, kSigmoidPlanes, 25, sigmoid_reference, -20, 20, 0,
     [](double x, double r) { return absolute_bound(r, 2 * (1 + std::abs(x)), 0, 1); }, 0.9},
    {"erf", erf_float, kErfPlanes, 54, erfl, -4.5, 4.5, 3,
     [](double, double r) { return 5 * ulp_of(r); }},
};

TEST_CASE("Elementary functions reach the specification's accuracy", "[prim]") {
    for (const Function& function : kFunctions) {
        const Words x = operands(41, function.low, function.high);
        const Words columns[] = {x};
        const Applied applied =
            apply([&](auto& d, Sources s, auto& w) { function.primitive(d, s[0], w); },
                  function.planes, columns);
        CAPTURE(function.name);
        CHECK(applied.commands == function.commands);
        double worst = 0;
        std::uint32_t worst_at = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const float actual = as_float(applied.words[i]);
            const Wide exact = function.reference(static_cast<Wide>(as_float(x[i])));
            const auto reference = static_cast<double>(exact);
            const double bound = function.share * function.bound(as_float(x[i]), reference);
            CAPTURE(x[i], as_float(x[i]), actual, reference);
            if (!within(actual, reference, std::isfinite(bound) ? bound : 0)) {
                FAIL("outside the promised share of the specification's bound");
            }
            const double size = std::abs(reference);
            if (!(size >= 2 * FLT_MIN && size <= FLT_MAX / 2)) continue;
            const auto error = static_cast<double>(fabsl(static_cast<Wide>(actual) - exact) /
                                                   static_cast<Wide>(ulp_of(reference)));
            if (error > worst && function.ulps > 0) {
                worst = error;
                worst_at = x[i];
            }
        }
        CAPTURE(worst, worst_at);
        if (function.ulps > 0) CHECK(worst <= function.ulps);
    }
}

TEST_CASE("Elementary functions of special values", "[prim]") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Words x = {as_bits(-kInfinity), as_bits(kInfinity), as_bits(-0.0f), as_bits(0.0f),
                     0x7F800001u,         0xFFC00000u,        as_bits(-1.0f)};
    // The specification's floating-point behaviour tables (2.4.3, 2.4.4, 2.6.5 ... 2.6.13).
    const struct {
        const char* name;
        std::vector<float> expected;
    } kTables[] = {
        {"reciprocal", {-0.0f, 0.0f, -kInfinity, kInfinity, nan, nan, -1.0f}},
        {"rsqrt", {nan, 0.0f, -kInfinity, kInfinity, nan, nan, nan}},
        {"exp", {0.0f, kInfinity, 1.0f, 1.0f, nan, nan}},
        {"log", {nan, kInfinity, -kInfinity, -kInfinity, nan, nan, nan}},
        {"sin", {nan, nan, -0.0f, 0.0f, nan, nan}},
        {"cos", {nan, nan, 1.0f, 1.0f, nan, nan}},
        {"tanh", {-1.0f, 1.0f, -0.0f, 0.0f, nan, nan}},
        {"sigmoid", {0.0f, 1.0f, 0.5f, 0.5f, nan, nan}},
        {"erf", {-1.0f, 1.0f, -0.0f, 0.0f, nan, nan}},
    };
    const Words columns[] = {x};
    for (std::size_t f = 0; f < std::size(kTables); ++f) {
        const Function& function = kFunctions[f];
        REQUIRE(std::string(function.name) == kTables[f].name);
        const Applied applied =
            apply([&](auto& d, Sources s, auto& w) { function.primitive(d, s[0], w); },
                  function.planes, columns);
        for (std::size_t i = 0; i < kTables[f].expected.size(); ++i) {
            const float actual = as_float(applied.words[i]);
            const float expected = kTables[f].expected[i];
            CAPTURE(function.name, as_float(x[i]), actual, expected);
            if (std::isnan(expected)) {
                CHECK(std::isnan(actual));
            } else {
                CHECK(as_bits(actual) == as_bits(expected));
            }
        }
    }
}

TEST_CASE("Powers of numbers that are not above zero, in either way", "[prim]") {
    Words x = operands(44, -90, 0);
    std::erase_if(x, [](std::uint32_t bits) { return as_float(bits) > 0; });
    const Words columns[] = {x};
    const struct {
        PowerSteps steps;
        std::uint64_t commands;
        double share;  ///< of the bound that the header promises
    } kWays[] = {{PowerSteps::kSeries, 9, 0.5}, {PowerSteps::kPolynomial, 18, 0.8}};
    for (const auto& way : kWays) {
        const Applied applied =
            apply([&](auto& d, Sources s, auto& w) { power_of_difference(d, s[0], way.steps, w); },
                  kPowerPlanes, columns);
        CHECK(applied.commands == way.commands);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double a = as_float(x[i]);
            const double reference = std::exp(a);
            const double bound =
                std::isfinite(a) ? way.share * absolute_bound(reference, 3 + 2 * std::abs(a), 0, 1)
                                 : 0;
            CAPTURE(a, reference, as_float(applied.words[i]));
            REQUIRE(within(as_float(applied.words[i]), reference, bound));
        }
    }
}

TEST_CASE("Sine and cosine are accurate to 2^15 and bounded beyond", "[prim]") {
    const Words x = operands(42, -32768, 32768);
    const Words columns[] = {x};
    for (const bool is_sine : {true, false}) {
        const Applied applied =
            apply([&](auto& d, Sources s,
                      auto& w) { is_sine ? sin_float(d, s[0], w) : cos_float(d, s[0], w); },
                  kTrigonometryPlanes, columns);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const float value = as_float(x[i]);
            const float actual = as_float(applied.words[i]);
            if (!std::isfinite(value)) continue;
            CAPTURE(value, actual);
            REQUIRE(std::abs(actual) <= 1.0000002f);
            if (std::abs(value) > 32768.0f) continue;
            const Wide exact =
                is_sine ? sinl(static_cast<Wide>(value)) : cosl(static_cast<Wide>(value));
            REQUIRE(std::abs(static_cast<double>(static_cast<Wide>(actual) - exact)) < 2e-7);
        }
    }
}

TEST_CASE("Power within the bound of e^(b ln a)", "[prim]") {
    RandomSource random(43);
    Words a, b;
    for (int i = 0; i < 60000; ++i) {
        const double base = std::exp(static_cast<double>(random.between(-8700, 8800)) / 100.0);
        const double limit = random.one_in(2) ? 4.0 : 100.0 / (std::abs(std::log(base)) + 1e-3);
        const double unit = static_cast<double>(random.between(-1000000, 1000000)) / 1e6;
        a.push_back(as_bits(static_cast<float>(base)));
        b.push_back(as_bits(static_cast<float>(limit * unit)));
    }
    for (const float base : {0.0f, 1.0f, 2.0f, 0.5f, 1e-30f, 3e38f}) {
        for (const float exponent : {1.0f, 2.0f, 0.5f, 100.0f}) {
            a.push_back(as_bits(base));
            b.push_back(as_bits(exponent));
        }
        if (base == 0.0f) continue;
        a.push_back(as_bits(base));
        b.push_back(as_bits(0.0f));
    }
    const Words columns[] = {a, b};
    const Applied applied = apply([](auto& d, Sources s, auto& w) { pow_float(d, s[0], s[1], w); },
                                  kPowPlanes, columns);
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double x = as_float(a[i]);
        const double y = as_float(b[i]);
        const float actual = as_float(applied.words[i]);
        CAPTURE(x, y, actual);
        if (x == 0) {
            REQUIRE(actual == 0.0f);
            continue;
        }
        if (y == 0) {
            REQUIRE(actual == 1.0f);
            continue;
        }
        const auto reference =
            static_cast<double>(powl(static_cast<Wide>(x), static_cast<Wide>(y)));
        // TOSA 1.0.1, 2.5.15.
        const double product = y * std::log(x);
        const double product_error = absolute_bound(product, 5.5, std::abs(0.55 * y), 1);
        const double exp_error =
            absolute_bound(reference, 3 + 2 * std::abs(product + product_error), 0, 1);
        const double bound = reference * std::expm1(product_error) + exp_error;
        if (!within(actual, reference, bound)) FAIL("outside the bound");
    }
}

}  // namespace
}  // namespace okksim::tests
