// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/okk/arithmetic.h"

#include "tests/support/catch.h"

namespace okksim::tests::reference {

namespace {
constexpr Word kInfinity = 0x7F800000;
constexpr Word kMinusZero = 0x80000000;
}  // namespace

TEST_CASE("reference arithmetic flushes denormal operands and results") {
    CHECK(flush(0x00000001) == 0);
    CHECK(flush(0x807FFFFF) == kMinusZero);
    CHECK(flush(0x00800000) == 0x00800000);
    // 2^-126 + denormal: the denormal counts as zero.
    CHECK(add(0x00800000, 0x00400000) == 0x00800000);
    // 1.5 * 2^-126 - 2^-126 = 2^-127 is denormal.
    CHECK(subtract(0x00C00000, 0x00800000) == 0);
    CHECK(subtract(0x00800000, 0x00C00000) == kMinusZero);
}

TEST_CASE("reference products are judged tiny after rounding with unbounded exponent") {
    // (1 + 2^-12)(1 - 2^-12) = 1 - 2^-24 has 24 bits. Scaled by 2^-126 it is tiny and flushed,
    // although a tie on the denormal grid would round to 2^-126.
    const Word scaled = from_float(0x1.FFEp-64F);  // (1 - 2^-12) * 2^-63
    const Word other = from_float(0x1.001p-63F);   // (1 + 2^-12) * 2^-63
    CHECK(multiply(scaled, other) == 0);
    CHECK(multiply(scaled ^ kMinusZero, other) == kMinusZero);
    // (1 - 2^-24)(1 + 2^-23) = 1 + 2^-24 - 2^-47 rounds to 1: kept.
    CHECK(multiply(from_float(0x1.FFFFFEp-64F), from_float(0x1.000002p-63F)) == 0x00800000);
}

TEST_CASE("reference results that are NaN are the canonical NaN") {
    CHECK(add(kInfinity, kInfinity | kMinusZero) == kNan);
    CHECK(multiply(0, kInfinity) == kNan);
    CHECK(add(0xFFC12345, kOne) == kNan);
    CHECK(maximum(0x7FC12345, kOne) == kOne);
    CHECK(maximum(kOne, 0xFFC12345) == 0xFFC12345);  // a selection, not a result
}

// Values that the instruction set's rules state for the approximate functions.
TEST_CASE("reference approximations have the documented values") {
    CHECK(reciprocal(from_float(1.0F)) == 0x3F7FFFFE);
    CHECK(reciprocal(from_float(2.0F)) == 0x3F000001);
    CHECK(reciprocal(0) == kInfinity);
    CHECK(reciprocal(kMinusZero) == (kInfinity | kMinusZero));
    CHECK(reciprocal(kInfinity) == kInfinity);
    CHECK(to_float(rsqrt_steps(0)) == Approx(4.459e19).epsilon(1e-3));
    CHECK(to_float(rsqrt_steps(kMinusZero)) == Approx(-1.31e-19).epsilon(1e-2));
    CHECK(rsqrt_steps(kInfinity) == (kInfinity | kMinusZero));
    CHECK(rsqrt(kMinusZero) == (kInfinity | kMinusZero));
    CHECK(rsqrt(kInfinity) == 0);
    CHECK(rsqrt(from_float(-1.0F)) == kNan);
    CHECK(square_root(kMinusZero) == kMinusZero);
    CHECK(square_root(kInfinity) == kInfinity);
    CHECK(to_float(square_root(from_float(4.0F))) == Approx(1.9999999));
    CHECK(sigmoid(0, 32) == from_float(0.50000006F));
    CHECK(is_nan(exponential(from_float(128.0F), 32)));
    CHECK(exponential(from_float(200.0F), 32) == kInfinity);
    CHECK(exponential(from_float(100.0F), 32) == 0);
}

TEST_CASE("reference conversions truncate and saturate") {
    CHECK(to_int32(from_float(-1.99F)) == -1);
    CHECK(to_int32(from_float(3e9F)) == INT32_MAX);
    CHECK(to_int32(from_float(-3e9F)) == INT32_MIN);
    CHECK(to_int32(kNan) == INT32_MAX);
    CHECK(to_int32(0xFFC00000) == INT32_MIN);
    CHECK(lookup_int32_to_fp32(150) == from_float(-106.0F));
    CHECK(lookup_exp(256) == kOne);
    CHECK(lookup_exp(-103) == 1);  // e^-103 = 1.87e-45 is nearest to the smallest denormal 1.4e-45
}

TEST_CASE("reference shifts are mathematical and rounding shifts round half up") {
    CHECK(static_cast<Word>(shift(0x80000001LL, 32)) == 0);
    CHECK(shift(-5, -32) == -1);
    CHECK(shift(-5, -1) == -3);
    CHECK(shift(0x80000000LL, -40) == 0);
    CHECK(rounding_shift(-5, 1) == -2);
    CHECK(rounding_shift(5, 1) == 3);
    CHECK(saturate(200, true, 8) == 127);
    CHECK(saturate(-1, false, 16) == 0);
}

}  // namespace okksim::tests::reference
