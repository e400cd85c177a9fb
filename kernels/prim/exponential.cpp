// SPDX-License-Identifier: Apache-2.0
#include "kernels/prim/exponential.h"

#include "kernels/prim/convert.h"
#include "kernels/prim/elementary.h"
#include "kernels/prim/float_ops.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/polynomial.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels::prim {
namespace exponential {
namespace {

constexpr float kLog2E = 0x1.715476p+0f;
constexpr float kLn2High = 0x1.62e4p-1f;  // 15 bits: products with k are exact
constexpr float kLn2Low = 0x1.7f7d1cp-20f;
/// (e^r - 1 - r) / r^2 on |r| <= ln(2)/2, error 7e-8 (Chebyshev fit, coefficients rounded to fp32).
constexpr float kTail[] = {0x1.6d110ap-10f, 0x1.120b6ep-7f, 0x1.55551ap-5f, 0x1.5554dcp-3f, 0.5f};

}  // namespace

void reduce(const LocalTensor& fraction, const LocalTensor& exponent, const LocalTensor& a) {
    raw::multiply(exponent, a, kLog2E);
    raw::add(exponent, exponent, rounding_magic(0));
    raw::subtract(exponent, exponent, rounding_magic(0));
    raw::multiply_add(a, exponent, -kLn2High);
    raw::multiply_add(a, exponent, -kLn2Low);
    polynomial(fraction, a, kTail);
    raw::multiply(fraction, fraction, a);
    raw::multiply(fraction, fraction, a);
    raw::add(fraction, fraction, a);
}

void power(const LocalTensor& dst, const LocalTensor& k) {
    // The mantissa's low bits hold k + 127; the shift moves them to the exponent field.
    raw::add(dst, k, rounding_magic(0) + 127.0f);
    raw::shift_left(dst, dst, 23);
}

}  // namespace exponential

namespace {

/// 2^f on |f| <= 1/2, relative error 9.2e-8 (minimax fit with the last one held at 1).
constexpr float kPowerOfTwo[] = {0x1.5bba88p-10f, 0x1.3ceabep-7f, 0x1.c6b754p-5f,
                                 0x1.ebf9bcp-3f,  0x1.62e42ap-1f, 1.0f};

/// 2^t for -127 <= t <= 127, 0 for the least of them. t is destroyed, `k` is a plane for work; dst
/// is another plane. 15 commands.
void scale_by_power(const LocalTensor& dst, const LocalTensor& t, const LocalTensor& k) {
    // The mantissa's low bits hold the rounded exponent + 127; a shift makes the exponent field.
    constexpr float kBiased = rounding_magic(0) + 127.0f;
    raw::add(k, t, kBiased);
    raw::subtract(dst, k, kBiased);
    raw::subtract(t, t, dst);
    raw::shift_left(k, k, 23);
    polynomial(dst, t, kPowerOfTwo);
    raw::multiply(dst, dst, k);
}

/// 2^(a * factor), the exponent clamped to [low, high] within [-126, 127]; NaN counts as high. The
/// exponent is rounded once, so that the error grows with |a| as the bounds of the specification
/// do. `t` and `k` are planes for work; dst is another plane than a. 18 commands.
void power_of_two_of(const LocalTensor& dst, const LocalTensor& a, float factor, float low,
                     float high, const LocalTensor& t, const LocalTensor& k) {
    raw::multiply(t, a, factor);
    raw::minimum(t, t, high);
    raw::maximum(t, t, low);
    scale_by_power(dst, t, k);
}

/// dst = value, or NaN where `a` is NaN. `value` must not be negative. `t` is a work plane. 2
/// commands.
void keep_nan(const LocalTensor& dst, const LocalTensor& value, const LocalTensor& a,
              const LocalTensor& t) {
    raw::minimum(t, value, a);
    raw::maximum(dst, value, t);
}

}  // namespace

void exp_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor power = frame.plane(dst.shape);
    const LocalTensor t = frame.plane(dst.shape);
    const LocalTensor k = frame.plane(dst.shape);
    // The square of e^(a/2), whose exponent never passes the range of fp32.
    power_of_two_of(power, a, exponential::kLog2E / 2, -80.0f, 70.0f, t, k);
    raw::multiply(power, power, power);
    keep_nan(dst, power, a, t);
}

namespace {

/// Below this, e^a is less than the smallest number and the exponent field of 2^k is 0.
constexpr float kLowestExponent = -127.0f;
constexpr float kLn2 = 0x1.62e430p-1f;

/// The exponent k = round(a / ln 2) is computed from a directly. The error grows with |a| as the
/// bounds do: half an ulp of k ln 2. In addition there are roundings of about an ulp and an error
/// of (ln 2 / 2)^(terms + 1) / (terms + 1)!. 8 commands; r may be a, dst is another plane.
void power_by_series(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& r,
                     const LocalTensor& k, int terms) {
    constexpr float kBiased = rounding_magic(0) + 127.0f;
    raw::maximum(r, a, kLowestExponent * kLn2);
    raw::multiply(k, r, exponential::kLog2E);
    raw::add(k, k, kBiased);
    raw::subtract(dst, k, kBiased);
    raw::multiply_add(r, dst, -kLn2);
    raw::shift_left(k, k, 23);
    okk_bdc_taylor_exp(dst.address, r.address, &dst.shape, terms);
    raw::multiply(dst, dst, k);
}

}  // namespace

void power_of_difference(const LocalTensor& dst, const LocalTensor& a, PowerSteps steps,
                         Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor t = frame.plane(dst.shape);
    const LocalTensor k = frame.plane(dst.shape);
    if (steps == PowerSteps::kSeries) {
        constexpr int kTerms = 7;  // 5e-9
        power_by_series(dst, a, t, k, kTerms);
    } else {
        raw::multiply(t, a, exponential::kLog2E);
        raw::maximum(t, t, kLowestExponent);
        scale_by_power(dst, t, k);
    }
    // The clamp has removed NaN. The maximum with `a` restores it, since no power is less than `a`.
    raw::maximum(dst, dst, a);
}

void pow_float(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
               Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor logarithm = frame.plane(dst.shape);
    log_float(logarithm, a, scratch);
    raw::multiply(logarithm, logarithm, b);
    exp_float(dst, logarithm, scratch);
}

void sigmoid_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor value = frame.plane(dst.shape);
    const LocalTensor t = frame.plane(dst.shape);
    const LocalTensor k = frame.plane(dst.shape);
    // Beyond the clamps the result is 1, or zero because it is below the smallest number.
    power_of_two_of(value, a, -exponential::kLog2E, -126.0f, 127.0f, t, k);
    raw::add(value, value, 1.0f);
    // The reciprocal by the estimate and one Newton step.
    raw::reciprocal_estimate(t, value);
    raw::multiply(value, value, t);
    raw::subtract_from(value, value, 2.0f);
    raw::multiply(value, value, t);
    keep_nan(dst, value, a, t);
}

namespace {

/// Splits `a` into its magnitude and the bits that are or-ed into the result of an odd function:
/// the sign, and all ones for NaN.
void split(const LocalTensor& magnitude, const LocalTensor& keep, const LocalTensor& a,
           const LocalTensor& t) {
    raw::bit_and(magnitude, a, kMagnitudeBits);
    raw::select_greater(keep, magnitude, -1.0f, kMagnitudeBits);
    raw::bit_xor(keep, keep, kMagnitudeBits);
    raw::bit_and(t, a, kSignBit);
    raw::bit_or(keep, keep, t);
}

}  // namespace

void tanh_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor argument = frame.plane(dst.shape);
    const LocalTensor fraction = frame.plane(dst.shape);
    const LocalTensor exponent = frame.plane(dst.shape);
    const LocalTensor keep = frame.plane(dst.shape);
    split(argument, keep, a, exponent);
    // t = e^(2|a|) - 1, without cancellation near 0; tanh |a| = t / (t + 2), 1 from 10 on.
    raw::minimum(argument, argument, 10.0f);
    raw::multiply(argument, argument, 2.0f);
    exponential::reduce(fraction, exponent, argument);
    exponential::power(exponent, exponent);
    raw::multiply(fraction, fraction, exponent);
    raw::add(exponent, exponent, -1.0f);
    raw::add(fraction, fraction, exponent);
    // 1 / (t + 2) by the estimate and one Newton step; 2 <= t + 2 < 2^29 is its good range.
    raw::add(argument, fraction, 2.0f);
    raw::reciprocal_estimate(exponent, argument);
    raw::multiply(argument, argument, exponent);
    raw::subtract_from(argument, argument, 1.0f);
    raw::multiply(argument, argument, exponent);
    raw::add(exponent, exponent, argument);
    raw::multiply(fraction, fraction, exponent);
    raw::minimum(fraction, fraction, 1.0f);
    raw::bit_or(dst, fraction, keep);
}

namespace {

/// erf(x)/x - 1 in x^2 on 0..1, error 5e-9.
constexpr float kErfNear[] = {0x1.4a5690p-14f, -0x1.a45088p-11f, 0x1.541270p-8f, -0x1.b7fabap-6f,
                              0x1.ce2d10p-4f,  -0x1.81273ep-2f,  0x1.06eba8p-3f};
/// ln(1 - erf(x)) in x - 2.5 on 1..4, error 1.4e-7.
constexpr float kErfFar[] = {0x1.b77830p-20f,  -0x1.bec71ap-17f, 0x1.442efcp-14f,
                             -0x1.b887c8p-12f, 0x1.1bcf88p-9f,   -0x1.63d00cp-7f,
                             -0x1.e3460ap-1f,  -0x1.569252p+2f,  -0x1.f3a2dcp+2f};

}  // namespace

void erf_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor magnitude = frame.plane(dst.shape);
    const LocalTensor near = frame.plane(dst.shape);
    const LocalTensor far = frame.plane(dst.shape);
    const LocalTensor x = frame.plane(dst.shape);
    const LocalTensor keep = frame.plane(dst.shape);
    split(magnitude, keep, a, x);
    // 1 - erf(4) is below half an ulp of 1.
    raw::minimum(magnitude, magnitude, 4.0f);
    // Far: 1 - e^g(x); g of numbers below 1 is not used.
    raw::maximum(x, magnitude, 1.0f);
    raw::add(x, x, -2.5f);
    polynomial(far, x, kErfFar);
    constexpr int kTerms = 6;  // error 1.2e-7 of a value below 0.16
    power_by_series(x, far, far, near, kTerms);
    raw::subtract_from(far, x, 1.0f);
    // Near: x * (1 + P(x^2)); x * P alone would be flushed for the smallest numbers.
    raw::minimum(magnitude, magnitude, 1.0f);
    raw::multiply(x, magnitude, magnitude);
    polynomial(near, x, kErfNear);
    raw::add(near, near, 1.0f);
    raw::multiply(near, near, magnitude);
    // Below 1 the near formula, else the far one.
    raw::select_less(magnitude, magnitude, 1.0f, kAllOnes);
    raw::bit_xor(near, near, far);
    raw::bit_and(near, near, magnitude);
    raw::bit_xor(near, near, far);
    raw::bit_or(dst, near, keep);
}

}  // namespace okksim::kernels::prim
