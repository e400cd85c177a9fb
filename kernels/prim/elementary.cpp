// SPDX-License-Identifier: Apache-2.0
#include "kernels/prim/elementary.h"

#include <cfloat>
#include <limits>

#include "kernels/prim/convert.h"
#include "kernels/prim/float_ops.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/polynomial.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels::prim {
namespace {

/// The upper 12 bits of an fp32 number: products of two such numbers are exact.
constexpr std::uint32_t kUpperBits = 0xFFFFF000;
constexpr float kSmallestNormal = power_of_two(-126);
constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

void reciprocal_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor m = frame.plane(dst.shape);
    const LocalTensor r = frame.plane(dst.shape);
    const LocalTensor error = frame.plane(dst.shape);
    const LocalTensor t = frame.plane(dst.shape);
    const LocalTensor is_nan = frame.plane(dst.shape);
    is_not_nan(is_nan, a, kAllOnes);
    raw::bit_xor(is_nan, is_nan, kAllOnes);
    // The significand with exponent 1, so that the estimate stays in its good range.
    raw::bit_and(m, a, kSignBit | kFractionField);
    raw::bit_or(m, m, float_bits(2.0f));
    // 12 bits of the estimate; error = 1 - m * r exactly, from exact products.
    raw::reciprocal_estimate(r, m);
    raw::bit_and(r, r, kUpperBits);
    raw::bit_and(t, m, kUpperBits);
    raw::subtract(m, m, t);
    raw::multiply(error, t, r);
    raw::subtract_from(error, error, 1.0f);
    raw::multiply(m, m, r);
    raw::subtract(error, error, m);
    // 1 / m = r / (1 - error) = r + r * (error + error^2 + ...); |error|^3 is below 2^-32.
    raw::multiply(t, error, error);
    raw::add(error, error, t);
    raw::multiply(error, error, r);
    raw::add(r, r, error);
    // Flipping the exponent field e gives 255 - e, the factor 2^(128 - e): infinity for zeros, zero
    // for infinities.
    raw::bit_and(t, a, kExponentField);
    raw::bit_xor(t, t, kExponentField);
    raw::multiply(r, r, t);
    raw::bit_or(dst, r, is_nan);
}

namespace {

/// All ones for NaN and for numbers below zero, else zero.
void undefined_mask(const LocalTensor& mask, const LocalTensor& a, const LocalTensor& t) {
    is_not_nan(mask, a, kAllOnes);
    raw::bit_xor(mask, mask, kAllOnes);
    raw::select_less(t, a, 0.0f, kAllOnes);
    raw::bit_or(mask, mask, t);
}

}  // namespace

void rsqrt_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor m = frame.plane(dst.shape);
    const LocalTensor r = frame.plane(dst.shape);
    const LocalTensor t = frame.plane(dst.shape);
    const LocalTensor keep = frame.plane(dst.shape);
    undefined_mask(keep, a, t);
    // Keeps the sign of zeros.
    raw::bit_and(t, a, kSignBit);
    raw::bit_or(keep, keep, t);
    // a = m * 2^(2v - 126) with 1/2 <= m < 2.
    raw::bit_and(m, a, 0x00FFFFFFu);
    raw::bit_or(m, m, float_bits(0.5f));
    raw::rsqrt_estimate(r, m);
    raw::multiply(t, m, r);
    raw::multiply(t, t, r);
    raw::subtract_from(t, t, 1.0f);
    raw::multiply(t, t, r);
    raw::multiply_add(r, t, 0.5f);
    // The factor 2^(63 - v), by its exponent field 190 - v.
    raw::bit_and(t, a, kMagnitudeBits);
    raw::shift_right_logical(m, t, 24);
    raw::bit_or(m, m, kIntegerMagicBits);
    raw::subtract_from(m, m, 2.0f * kIntegerMagic + 190.0f);
    raw::shift_left(m, m, 23);
    raw::multiply(r, r, m);
    // Infinity for zeros, zero for infinity.
    raw::select_less(m, t, kSmallestNormal, kExponentField);
    raw::maximum(r, r, m);
    raw::select_less(t, t, kInfinity, kAllOnes);
    raw::bit_and(r, r, t);
    raw::bit_or(dst, r, keep);
}

namespace {

constexpr float kLn2High = 0x1.62e4p-1f;
constexpr float kLn2Low = 0x1.7f7d1cp-20f;
/// (ln(1 + f) - f + f^2/2) / f^3 for 1 + f in sqrt(1/2) .. sqrt(2), error 2e-8.
constexpr float kLogTail[] = {-0x1.fc06e2p-5f, 0x1.af581ep-4f, -0x1.b4116ap-4f, 0x1.c41b8cp-4f,
                              -0x1.fdfb82p-4f, 0x1.249688p-3f, -0x1.555c54p-3f, 0x1.9999a8p-3f,
                              -0x1.fffff2p-3f, 0x1.555556p-2f};

}  // namespace

void log_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor k = frame.plane(dst.shape);
    const LocalTensor f = frame.plane(dst.shape);
    const LocalTensor square = frame.plane(dst.shape);
    const LocalTensor y = frame.plane(dst.shape);
    const LocalTensor keep = frame.plane(dst.shape);
    undefined_mask(keep, a, y);
    // |a| = 2^k (1 + f), 1 + f in sqrt(1/2) .. sqrt(2).
    raw::bit_and(y, a, kMagnitudeBits);
    raw::shift_right_logical(k, y, 23);
    raw::bit_or(k, k, kIntegerMagicBits);
    raw::subtract(k, k, kIntegerMagic + 127.0f);
    raw::bit_and(f, a, kFractionField);
    raw::bit_or(f, f, kOneBits);
    raw::select_greater(square, f, 1.41421356f, kOneBits);
    raw::add(k, k, square);
    raw::multiply(square, square, f);
    raw::multiply_add(f, square, -0.5f);
    raw::add(f, f, -1.0f);
    // The summand for special values: -inf for zeros, +inf for infinity.
    const LocalTensor limit = frame.plane(dst.shape);
    raw::select_less(limit, y, kSmallestNormal, float_bits(-kInfinity));
    raw::select_greater(square, y, FLT_MAX, kExponentField);
    raw::bit_or(limit, limit, square);
    raw::multiply(square, f, f);
    polynomial(y, f, kLogTail);
    raw::multiply(y, y, f);
    raw::multiply(y, y, square);
    raw::multiply_add(y, k, kLn2Low);
    raw::multiply_add(y, square, -0.5f);
    raw::add(y, y, f);
    raw::multiply_add(y, k, kLn2High);
    raw::add(y, y, limit);
    raw::bit_or(dst, y, keep);
}

namespace {

constexpr float kTwoOverPi = 0x1.45f306p-1f;
/// pi/2 in three parts; products of the first two with |k| < 2^15 are exact.
constexpr float kHalfPi[] = {0x1.92p+0f, 0x1.fbp-12f, 0x1.5110b4p-22f};
/// Beyond this the specification allows every value between -1 and 1.
constexpr float kTrigonometryLimit = 32768.0f;
/// (sin(r) - r) / r^3 and (cos(r) - 1 + r^2/2) / r^4 in r^2 on |r| <= pi/4, errors 3e-8 and 3e-9.
constexpr float kSinTail[] = {-0x1.9ac6fcp-13f, 0x1.110c24p-7f, -0x1.555552p-3f};
constexpr float kCosTail[] = {0x1.9bd670p-16f, -0x1.6c12cep-10f, 0x1.555554p-5f};

enum class Wave { kSine, kCosine };

void wave_of(const LocalTensor& dst, const LocalTensor& a, Wave wave, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor r = frame.plane(dst.shape);
    const LocalTensor turns = frame.plane(dst.shape);
    const LocalTensor square = frame.plane(dst.shape);
    const LocalTensor sine = frame.plane(dst.shape);
    const LocalTensor cosine = frame.plane(dst.shape);
    raw::bit_and(r, a, kMagnitudeBits);
    raw::minimum(r, r, kTrigonometryLimit);
    // The nearest multiple of pi/2. Its index stays in the low bits of the mantissa.
    raw::multiply(turns, r, kTwoOverPi);
    raw::add(turns, turns, rounding_magic(0));
    raw::subtract(square, turns, rounding_magic(0));
    for (const float part : kHalfPi) raw::multiply_add(r, square, -part);
    raw::multiply(square, r, r);
    polynomial(sine, square, kSinTail);
    raw::multiply(sine, sine, square);
    raw::multiply(sine, sine, r);
    raw::add(sine, sine, r);
    polynomial(cosine, square, kCosTail);
    raw::multiply(cosine, cosine, square);
    raw::add(cosine, cosine, -0.5f);
    raw::multiply(cosine, cosine, square);
    raw::add(cosine, cosine, 1.0f);
    // Odd quadrants use the cosine; the third and fourth change the sign.
    if (wave == Wave::kCosine) raw::add(turns, turns, 1.0f);
    raw::shift_left(square, turns, 31);
    raw::shift_right_arithmetic(square, square, 31);
    raw::bit_xor(cosine, cosine, sine);
    raw::bit_and(cosine, cosine, square);
    raw::bit_xor(sine, sine, cosine);
    raw::bit_and(turns, turns, 2u);
    raw::shift_left(turns, turns, 30);
    raw::bit_xor(sine, sine, turns);
    if (wave == Wave::kSine) {
        raw::bit_and(turns, a, kSignBit);
        raw::bit_xor(sine, sine, turns);
    }
    // NaN for infinities and NaN; no change otherwise (-0 + -0 = -0).
    raw::multiply_add(sine, a, 0.0f);
    raw::copy(dst, sine);
}

}  // namespace

void sin_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    wave_of(dst, a, Wave::kSine, scratch);
}

void cos_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    wave_of(dst, a, Wave::kCosine, scratch);
}

}  // namespace okksim::kernels::prim
