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
    // A reference beyond the type's range becomes infinity, or NaN if the type has no infinity.
    CHECK(passes(DType::kFp16, exact, kInfinity, 70000.0));
    CHECK_FALSE(passes(DType::kFp16, exact, 65504.0, 70000.0));
    CHECK(passes(DType::kFp8E4M3, exact, kNan, 500.0));
    CHECK_FALSE(passes(DType::kFp8E4M3, exact, kNan, 448.0));
}

TEST_CASE("a lower bound beyond the type's largest value is infinity") {
    // At about 100000, infinity is the only fp16 value for any implementation.
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
    CHECK(passes(DType::kFp16, rule, kInfinity, 1.0, 65520.0));  // may overflow: any result passes
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
    // A bounds value of 0 allows no error, whatever the lower bound is.
    const AbsErrorRule nothing{0.0, 0.5, 1.0, false, {}};
    CHECK(absolute_error_bound({0, 1.0, 0.0}, nothing, float_format(DType::kFp16)) == 0.0);
    // bf16 with divisor 2: -7 / 2 is cut to -3; the bound tensor is the magnitude.
    const AbsErrorRule cosine{1.0, 0.0, 2.0, true, {}};
    CHECK(absolute_error_bound({0, 0.5, 3.0}, cosine, float_format(DType::kBf16)) == 3.0 / 8.0);
    const AbsErrorRule sine{2.0, 0.0, 2.0, true, 1e-3};
    CHECK(absolute_error_bound({0, 0.0, 0.0}, sine, float_format(DType::kFp32)) == 1e-3);
    // Infinity times zero is no bound, not NaN.
    CHECK(absolute_error_bound({0, 0.0, kInfinity}, exponential, float_format(DType::kFp16)) ==
          0.0);
    CHECK(passes(DType::kFp16, exponential, 123.0, 1.0, kInfinity));
    // A magnitude of 0 counts as the smallest normal number, 2^-14: 2^-10 * 2^-14 * (1 + 3).
    CHECK(absolute_error_bound({0, 0.0, 1.0}, exponential, float_format(DType::kFp16)) ==
          std::ldexp(4.0, -24));
}

TEST_CASE("bounds that reach the largest value exactly do not allow infinity") {
    // fp16: 0 - 65504 is the lowest value itself; one unit of 65504, 32, more is beyond it.
    const FloatFormat fp16 = float_format(DType::kFp16);
    const auto within = [&](double got, double reference, double lower, double upper) {
        return check_within(got, reference, {lower, upper}, fp16);
    };
    CHECK_FALSE(within(-kInfinity, 0.0, 65504.0, 65504.0).passed);
    CHECK(within(-kInfinity, 0.0, 65536.0, 0.0).passed);
    CHECK_FALSE(within(kInfinity, 0.0, 65504.0, 65504.0).passed);
    CHECK(within(kInfinity, 0.0, 0.0, 65536.0).passed);
    CHECK(within(65504.0, 65504.0, 0.0, 0.0).passed);
    // Types without infinity accept only NaN instead.
    CHECK_FALSE(passes(DType::kFp8E4M3, ExactRule{}, 1.0, 500.0));
    CHECK_FALSE(passes(DType::kFp16, ExactRule{}, kNan, 70000.0));
    // Without a bound on either side every value passes. A bound on one side still counts.
    CHECK(within(123.0, 1.0, kInfinity, kInfinity).passed);
    CHECK_FALSE(within(123.0, 1.0, kInfinity, 1.0).passed);
}

TEST_CASE("an error is told as a share of what is allowed on its side") {
    const FloatFormat fp32 = float_format(DType::kFp32);
    const auto error = [&](double got, double reference) {
        return check_within(got, reference, {0.125, 0.25}, fp32).error;
    };
    CHECK(error(1.5, 1.0) == 2.0);     // 0.5 / 0.25
    CHECK(error(-1.5, -1.0) == 2.0);   // away from zero
    CHECK(error(0.5, 1.0) == 4.0);     // 0.5 / 0.125
    CHECK(error(1.125, 1.0) == 0.5);   // passes: 0.125 / 0.25
    CHECK(error(0.9375, 1.0) == 0.5);  // passes: 0.0625 / 0.125
    CHECK(error(-0.9375, -1.0) == 0.5);
    CHECK(error(1.0, 1.0) == 0.0);
    CHECK(error(kNan, 1.0) == kInfinity);
    CHECK(check_within(kInfinity, kInfinity, {0.0, 0.0}, fp32).error == 0.0);
    CHECK(check_within(1.5, 1.0, {0.0, 0.0}, fp32).error == kInfinity);
    // Dot products: 3 units of 4 allowed, 6 of 4.
    const DotProductRule dot{3, 4.0, 100.0};
    const double unit = 16777216.0;  // 2^24 half units of 2^-24
    CHECK(check_element({13.0, 10.0, unit}, dot, fp32).error == 0.75);
    CHECK(check_element({16.0, 10.0, unit}, dot, fp32).error == 1.5);
    CHECK(check_element({16.0, 10.0, unit}, dot, fp32).signed_error == 6.0);
    CHECK(check_element({14.0, 10.0, unit}, dot, fp32).passed);
    // Tolerance 0.5 + 0.25 * 2 = 1: an error of 2 is twice that.
    CHECK(check_element({4.0, 2.0, 0.0}, ToleranceRule{0.25, 0.5}, fp32).error == 2.0);
    CHECK(check_element({3.0, 2.0, 0.0}, ToleranceRule{0.25, 0.5}, fp32).error == 1.0);
}

TEST_CASE("a dot product that may overflow has no limit") {
    // fp16 rounds to infinity from 65520 on. Bounds grow by 1 + 4 * 2^-11 = 1.001953: 65400 to
    // 65527.7, 65380 to 65507.7. Half units of 2^-11 make 31.9 there, 4 of them 127.7.
    const DotProductRule rule{3, 4.0, 100.0};
    CHECK(passes(DType::kFp16, rule, 1000.0, 1.0, 65400.0));
    CHECK_FALSE(passes(DType::kFp16, rule, 1000.0, 1.0, 65380.0));
    CHECK(passes(DType::kFp16, rule, 128.0, 1.0, 65380.0));
    CHECK_FALSE(passes(DType::kFp16, rule, 130.0, 1.0, 65380.0));
}

TEST_CASE("bounds of sums of products stand on the smallest normal number") {
    // (1 + 2^-11)^3 - 1 = 3 * 2^-11 + 3 * 2^-22 + 2^-33 = 0.00146556; times 2^-14 below it.
    const FloatFormat fp16 = float_format(DType::kFp16);
    const ReduceProductRule three{3};
    CHECK(check_element({2.00293, 2.0, 0.0}, three, fp16).passed);
    CHECK_FALSE(check_element({2.00294, 2.0, 0.0}, three, fp16).passed);
    CHECK(check_element({8.94e-8, 0.0, 0.0}, three, fp16).passed);
    CHECK_FALSE(check_element({8.95e-8, 0.0, 0.0}, three, fp16).passed);
    // One unit below, half a unit above: 2^-10 and 2^-11 at 1.
    const UlpRule cast{0.5, 1.0};
    CHECK(check_element({1.0 - 0x1p-10, 1.0, 0.0}, cast, fp16).passed);
    CHECK_FALSE(check_element({1.0 - 0x1.1p-10, 1.0, 0.0}, cast, fp16).passed);
    CHECK(check_element({1.0 + 0x1p-11, 1.0, 0.0}, cast, fp16).passed);
    CHECK_FALSE(check_element({1.0 + 0x1.1p-11, 1.0, 0.0}, cast, fp16).passed);
}

TEST_CASE("special values and tolerance") {
    const FloatSpecialRule special;
    CHECK(passes(DType::kFp16, special, -0.0, 0.0));
    CHECK(passes(DType::kFp16, special, 3.0, 70.0));
    // A zero of one side alone is like any other number: its sign counts.
    CHECK_FALSE(passes(DType::kFp16, special, -3.0, 0.0));
    CHECK_FALSE(passes(DType::kFp16, special, -0.0, 70.0));
    CHECK_FALSE(passes(DType::kFp16, special, -3.0, 70.0));
    CHECK_FALSE(passes(DType::kFp16, special, kInfinity, 70.0));
    CHECK(passes(DType::kFp16, special, kNan, 70.0, kNan));
    CHECK_FALSE(passes(DType::kFp16, special, kNan, 70.0, 1.0));
    const ToleranceRule tolerance{0.01, 0.5};  // 0.5 + 0.01 * 100 = 1.5
    CHECK(passes(DType::kFp32, tolerance, 101.5, 100.0));
    CHECK_FALSE(passes(DType::kFp32, tolerance, 101.6, 100.0));
    CHECK(passes(DType::kFp32, tolerance, kInfinity, kInfinity));
    CHECK_FALSE(passes(DType::kFp32, tolerance, kInfinity, 1.0));
    CHECK_FALSE(passes(DType::kFp32, tolerance, 1.0, kInfinity));  // of which 0.01 is infinite
    CHECK_FALSE(passes(DType::kFp32, tolerance, kNan, 1.0));
    CHECK(passes(DType::kFp32, tolerance, kNan, kNan));
    CHECK_FALSE(passes(DType::kFp32, tolerance, 1.0, kNan));
}

}  // namespace
}  // namespace okksim::sim::check
