// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::tests::reference {

// Scalar arithmetic of the machine on bit patterns, in plain form. Denormal operands count as zero
// of their sign, and denormal results become zero of their sign. A NaN result is 0x7FC00000.

using Word = std::uint32_t;

inline constexpr Word kNan = 0x7FC00000;
inline constexpr Word kOne = 0x3F800000;

Word flush(Word x);
bool is_nan(Word x);
Word from_float(float x);
float to_float(Word x);

Word add(Word a, Word b);
Word subtract(Word a, Word b);
/// Product; zero if it is below the smallest normal number after rounding to 24 bits with unbounded
/// exponent.
Word multiply(Word a, Word b);
/// a * b + c, product rounded first.
Word multiply_add(Word a, Word b, Word c);

/// a > b / a <= b after flushing both; false with a NaN.
bool greater(Word a, Word b);
bool less_or_equal(Word a, Word b);

Word maximum(Word a, Word b);
Word minimum(Word a, Word b);
Word relu(Word x);
Word negate(Word x);
/// Three Newton steps from an integer estimate; meaningful for positive normal numbers only.
Word rsqrt_steps(Word x);
/// sign(x) * r * r with r = rsqrt_steps(|x|): +-inf for +-0, and by the same steps for +-inf.
Word reciprocal(Word x);
/// rsqrt_steps(), with limits where the steps are not valid: +-inf for +-0 and denormals, +0 for
/// +inf, NaN for negative numbers.
Word rsqrt(Word x);
/// reciprocal(rsqrt_steps(x)), with the limits +-0 for +-0 and denormals, +inf for +inf, NaN for
/// negative numbers.
Word square_root(Word x);
Word divide(Word a, Word b);

/// Truncation toward zero with saturation; a NaN saturates by its sign (golden vectors).
std::int32_t to_int32(Word x);
Word lookup_int32_to_fp32(std::int32_t k);
Word lookup_exp(std::int32_t k);
/// sum of x^j / j!, j = 0..series, by Horner's rule.
Word taylor_exp(Word x, int series);
Word exponential(Word x, int series);
Word sigmoid(Word x, int series);
Word hyperbolic_tangent(Word x, int series);

/// value * 2^amount for positive amounts, else the floor of value / 2^-amount. The result is exact;
/// callers truncate it.
std::int64_t shift(std::int64_t value, std::int64_t amount);
/// (value + 2^(amount-1)) / 2^amount rounded down; value when amount is 0.
std::int64_t rounding_shift(std::int64_t value, std::int64_t amount);
std::int64_t saturate(std::int64_t value, bool is_signed, int bits);

}  // namespace okksim::tests::reference
