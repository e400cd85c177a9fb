// SPDX-License-Identifier: Apache-2.0
#include "sim/check/element_rules.h"

#include <cmath>
#include <limits>

#include "tests/support/catch.h"

namespace okksim::sim::check {
namespace {

using graph::DType;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool passes(DType type, const Rule& rule, double got, double reference, double bound = 0.0) {
    return check_element({got, reference, bound}, rule, float_format(type)).passed;
}

TEST_CASE("format constants are those of section 4.5.3") {
    CHECK(float_format(DType::kFp32).normal_max == std::numeric_limits<float>::max());
    CHECK(float_format(DType::kFp32).normal_min == std::numeric_limits<float>::min());
    CHECK(float_format(DType::kFp16).normal_max == 65504.0);
    CHECK(float_format(DType::kFp16).normal_min == std::ldexp(1.0, -14));
    CHECK(float_format(DType::kBf16).normal_max == std::ldexp(255.0, 120));  // 0x7F7F
    CHECK(float_format(DType::kFp8E4M3).normal_max == 448.0);
    CHECK(float_format(DType::kFp8E5M2).normal_max == 57344.0);
}

TEST_CASE("units in the last place") {
    const FloatFormat fp16 = float_format(DType::kFp16);
    CHECK(ulp_of(1.0, fp16) == std::ldexp(1.0, -10));
    CHECK(ulp_of(-3.5, fp16) == std::ldexp(1.0, -9));
    CHECK(ulp_of(1e-8, fp16) == std::ldexp(1.0, -24));  // below the smallest normal: its unit
    CHECK(ulp_of(0.0, fp16) == 0.0);
    CHECK(ulp_of(kInfinity, fp16) == 0.0);
    // 65504 + 16 = 65520 is the tie that rounds to infinity.
    CHECK(rounds_to_infinity(65520.0, fp16));
    CHECK_FALSE(rounds_to_infinity(65519.9, fp16));
}

TEST_CASE("exact floating point") {
    const ExactRule exact;
    CHECK(passes(DType::kFp32, exact, 1.5, 1.5));
    CHECK(passes(DType::kFp32, exact, -0.0, 0.0));
    CHECK(passes(DType::kFp32, exact, kNan, kNan));
    CHECK(passes(DType::kFp32, exact, -kInfinity, -kInfinity));
    CHECK_FALSE(passes(DType::kFp32, exact, kInfinity, -kInfinity));
    CHECK_FALSE(passes(DType::kFp32, exact, 1.5, 1.25));
    CHECK_FALSE(passes(DType::kFp32, exact, kNan, 1.0));
    CHECK_FALSE(passes(DType::kFp32, exact, 1.0, kNan));
    // A subnormal result may be flushed, but not in the fp8 types.
    CHECK(passes(DType::kFp32, exact, 0.0, 1e-40));
    CHECK_FALSE(passes(DType::kFp32, exact, 0.0, 1e-30));
    CHECK_FALSE(passes(DType::kFp8E5M2, exact, 0.0, std::ldexp(1.0, -16)));
    // A reference beyond the type is infinity there, and NaN where there is none.
    CHECK(passes(DType::kFp16, exact, kInfinity, 70000.0));
    CHECK_FALSE(passes(DType::kFp16, exact, 65504.0, 70000.0));
    CHECK(passes(DType::kFp8E4M3, exact, kNan, 500.0));
    CHECK_FALSE(passes(DType::kFp8E4M3, exact, kNan, 448.0));
}

TEST_CASE("a lower bound beyond the type's largest value is infinity") {
    // Around 100000 nothing but infinity is an fp16 value, whoever computed it.
    const UlpRule one{1.0, std::nullopt};
    CHECK(passes(DType::kFp16, one, kInfinity, 100000.0));
    CHECK_FALSE(passes(DType::kFp16, one, 100000.0, 100000.0));
    CHECK(passes(DType::kFp16, one, -kInfinity, -100000.0));
    CHECK_FALSE(passes(DType::kFp16, one, -100000.0, -100000.0));
}

TEST_CASE("the relative rule allows a share of the largest value, or units in the last place") {
    // 4 * 0.125 = 0.5 is more than two units of 2^-23 at 1.
    const RelativeRule share{4.0, 0.125, 2.0};
    CHECK(passes(DType::kFp32, share, 1.5, 1.0));
    CHECK(passes(DType::kFp32, share, 0.5, 1.0));
    CHECK_FALSE(passes(DType::kFp32, share, 1.5 + 0x1p-23, 1.0));
    CHECK_FALSE(passes(DType::kFp32, share, 0.5 - 0x1p-24, 1.0));
    // Two units are more than 4 * 2^-25.
    const RelativeRule units{4.0, 0x1p-25, 2.0};
    CHECK(passes(DType::kFp32, units, 1.0 + 0x1p-22, 1.0));
    CHECK_FALSE(passes(DType::kFp32, units, 1.0 + 0x3p-23, 1.0));
}

TEST_CASE("units in the last place bound both sides") {
    // One unit of fp16 at 1 is 2^-10 = 0.0009765625.
    const UlpRule one{1.0, std::nullopt};
    CHECK(passes(DType::kFp16, one, 1.0009765625, 1.0));
    CHECK_FALSE(passes(DType::kFp16, one, 1.001953125, 1.0));
    CHECK(passes(DType::kFp16, one, -0.9990234375, -1.0));
    CHECK_FALSE(passes(DType::kFp16, one, 0.5, 0.0));
    // Half a unit away from zero, one towards it: rounding to nearest or to zero.
    const UlpRule cast{0.5, 1.0};
    CHECK(passes(DType::kFp16, cast, 1.0, 1.0009));
    CHECK_FALSE(passes(DType::kFp16, cast, 1.0009765625, 1.0004));
    CHECK(passes(DType::kFp16, cast, -1.0, -1.0009));
    CHECK_FALSE(passes(DType::kFp16, cast, -1.0009765625, -1.0004));
    // 65519 is within half a unit (16) of overflow.
    CHECK(passes(DType::kFp16, UlpRule{0.5, {}}, kInfinity, 65519.0));
}

TEST_CASE("dot product elements") {
    // fp16: half a unit is 2^-11. Bound 2048 gives a unit of error of 1, so up to 4 are allowed.
    const DotProductRule rule{3, 4.0, 100.0};
    CHECK(passes(DType::kFp16, rule, 104.0, 100.0, 2048.0));
    CHECK_FALSE(passes(DType::kFp16, rule, 104.5, 100.0, 2048.0));
    CHECK(check_element({98.0, 100.0, 2048.0}, rule, float_format(DType::kFp16)).signed_error ==
          -2.0);
    CHECK(passes(DType::kFp16, rule, 0.0, 0.0, 0.0));
    CHECK_FALSE(passes(DType::kFp16, rule, 1e-3, 0.0, 0.0));
    CHECK(passes(DType::kFp16, rule, kNan, kNan, 1.0));
    CHECK_FALSE(passes(DType::kFp16, rule, 1.0, kNan, 1.0));
    CHECK(passes(DType::kFp16, rule, 123.0, 1.0, kNan));
    CHECK_FALSE(passes(DType::kFp16, rule, kNan, 1.0, 2048.0));
    CHECK_FALSE(passes(DType::kFp16, rule, kInfinity, 1.0, 2048.0));
    CHECK(passes(DType::kFp16, rule, kInfinity, 1.0, 65520.0));  // may overflow: anything goes
    // A tiny bound is replaced by the smallest normal number, 2^-14.
    CHECK(passes(DType::kFp16, rule, std::ldexp(4.0, -14), 0.0, 1e-9));
}

TEST_CASE("reduce product, relative and absolute error") {
    // (1 + 2^-11)^2 - 1 = 2^-10 + 2^-22 at reference 4: 0.00390720...
    CHECK(passes(DType::kFp16, ReduceProductRule{2}, 4.00390625, 4.0));
    CHECK_FALSE(passes(DType::kFp16, ReduceProductRule{2}, 4.0079, 4.0));

    const RelativeRule relative{10.0, 0.006, 20.0};  // 0.06, or 20 units of 2^-7 at 1 in bf16
    CHECK(passes(DType::kFp32, relative, 1.06, 1.0));
    CHECK_FALSE(passes(DType::kFp32, relative, 1.07, 1.0));
    CHECK(passes(DType::kBf16, relative, 1.15625, 1.0));  // 20 / 128

    // fp16, value bound 2, bounds value 1 + 3: 2^-10 * 2 * 4.
    const AbsErrorRule exponential{3.0, 0.0, 1.0, false, {}};
    CHECK(absolute_error_bound({0, -2.0, 1.0}, exponential, float_format(DType::kFp16)) ==
          std::ldexp(8.0, -10));
    // Lower bound 0.5 relative to 1: 2^-10 * (0.5 / 4) * 4.
    const AbsErrorRule lower{4.0, 0.5, 1.0, false, {}};
    CHECK(absolute_error_bound({0, 1e-3, 0.0}, lower, float_format(DType::kFp16)) ==
          std::ldexp(0.5, -10));
    // bf16 with divisor 2: -7 / 2 is cut to -3; the bound tensor is the magnitude.
    const AbsErrorRule cosine{1.0, 0.0, 2.0, true, {}};
    CHECK(absolute_error_bound({0, 0.5, 3.0}, cosine, float_format(DType::kBf16)) == 3.0 / 8.0);
    const AbsErrorRule sine{2.0, 0.0, 2.0, true, 1e-3};
    CHECK(absolute_error_bound({0, 0.0, 0.0}, sine, float_format(DType::kFp32)) == 1e-3);
    // Infinity times zero is no bound, not NaN.
    CHECK(absolute_error_bound({0, 0.0, kInfinity}, exponential, float_format(DType::kFp16)) ==
          0.0);
    CHECK(passes(DType::kFp16, exponential, 123.0, 1.0, kInfinity));
}

TEST_CASE("special values and tolerance") {
    const FloatSpecialRule special;
    CHECK(passes(DType::kFp16, special, -0.0, 0.0));
    CHECK(passes(DType::kFp16, special, 3.0, 70.0));
    CHECK_FALSE(passes(DType::kFp16, special, -3.0, 70.0));
    CHECK_FALSE(passes(DType::kFp16, special, kInfinity, 70.0));
    CHECK(passes(DType::kFp16, special, kNan, 70.0, kNan));
    CHECK_FALSE(passes(DType::kFp16, special, kNan, 70.0, 1.0));
    const ToleranceRule tolerance{0.01, 0.5};  // 0.5 + 0.01 * 100 = 1.5
    CHECK(passes(DType::kFp32, tolerance, 101.5, 100.0));
    CHECK_FALSE(passes(DType::kFp32, tolerance, 101.6, 100.0));
    CHECK(passes(DType::kFp32, tolerance, kInfinity, kInfinity));
    CHECK_FALSE(passes(DType::kFp32, tolerance, kInfinity, 1.0));
    CHECK_FALSE(passes(DType::kFp32, tolerance, kNan, 1.0));
}

}  // namespace
}  // namespace okksim::sim::check
