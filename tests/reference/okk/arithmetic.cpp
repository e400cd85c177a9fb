// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/okk/arithmetic.h"

#include <bit>
#include <cmath>

namespace okksim::tests::reference {

namespace {

constexpr Word kSign = 0x80000000;
constexpr Word kSmallestNormal = 0x00800000;
constexpr Word kInfinity = 0x7F800000;

Word result(float x) { return is_nan(from_float(x)) ? kNan : flush(from_float(x)); }

/// c[j] = c[j - 1] / j, rounded to a float at each step. Denormals count as 0.
Word coefficient(int j) {
    float c = 1;
    for (int i = 2; i <= j; ++i) c /= static_cast<float>(i);
    return flush(from_float(c));
}

/// x * (c[1] + x * (c[2] + ... x * c[series])).
Word taylor_tail(Word x, int series) {
    Word sum = coefficient(series);
    for (int j = series - 1; j >= 1; --j) sum = multiply_add(sum, x, coefficient(j));
    return multiply(sum, x);
}

}  // namespace

Word flush(Word x) { return (x & 0x7F800000) == 0 ? x & kSign : x; }
bool is_nan(Word x) { return (x & 0x7FFFFFFF) > 0x7F800000; }
Word from_float(float x) { return std::bit_cast<Word>(x); }
float to_float(Word x) { return std::bit_cast<float>(x); }

Word add(Word a, Word b) { return result(to_float(flush(a)) + to_float(flush(b))); }
Word subtract(Word a, Word b) { return result(to_float(flush(a)) - to_float(flush(b))); }

Word multiply(Word a, Word b) {
    // Two 24-bit significands: the product is exact in double precision.
    const double exact =
        static_cast<double>(to_float(flush(a))) * static_cast<double>(to_float(flush(b)));
    const float rounded = static_cast<float>(exact);
    if ((from_float(rounded) & ~kSign) == kSmallestNormal) {
        // Rounding on the denormal grid may have reached 2^-126 from a product that is tiny.
        const float scaled = static_cast<float>(exact * 0x1p64);
        if (std::fabs(scaled) < 0x1p-62F) return from_float(rounded) & kSign;
    }
    return result(rounded);
}

Word multiply_add(Word a, Word b, Word c) { return add(multiply(a, b), c); }

bool greater(Word a, Word b) { return to_float(flush(a)) > to_float(flush(b)); }
bool less_or_equal(Word a, Word b) { return to_float(flush(a)) <= to_float(flush(b)); }

Word maximum(Word a, Word b) { return flush(greater(a, b) ? a : b); }
Word minimum(Word a, Word b) { return less_or_equal(a, b) ? a : b; }
Word relu(Word x) { return greater(x, 0) ? x : 0; }
Word negate(Word x) { return subtract(0, x); }

Word rsqrt_steps(Word x) {
    const std::int64_t half_bits = static_cast<std::int32_t>(x) >> 1;
    Word y = static_cast<Word>(0x5F3759DFLL - half_bits);
    const Word half = multiply(from_float(0.5F), x);
    for (int step = 0; step < 3; ++step) {
        const Word square = multiply(multiply(half, y), y);
        y = multiply(y, subtract(from_float(1.5F), square));
    }
    return y;
}

Word reciprocal(Word x) {
    if (is_nan(x)) return kNan;
    const Word root = rsqrt_steps(x & ~kSign);
    const Word sign = (x & kSign) | kOne;
    return multiply(multiply(sign, root), root);
}

Word rsqrt(Word x) {
    if (is_nan(x)) return kNan;
    if (flush(x) == 0 || flush(x) == kSign) return flush(x) | kInfinity;
    if ((x & kSign) != 0) return kNan;
    return x == kInfinity ? 0 : rsqrt_steps(x);
}

Word square_root(Word x) {
    if (is_nan(x)) return kNan;
    if (flush(x) == 0 || flush(x) == kSign) return flush(x);
    if ((x & kSign) != 0) return kNan;
    return x == kInfinity ? kInfinity : reciprocal(rsqrt_steps(x));
}

Word divide(Word a, Word b) { return multiply(a, reciprocal(b)); }

std::int32_t to_int32(Word x) {
    if (is_nan(x)) return (x & kSign) != 0 ? INT32_MIN : INT32_MAX;
    const double value = std::trunc(static_cast<double>(to_float(flush(x))));
    if (value > 2147483647.0) return INT32_MAX;
    if (value < -2147483648.0) return INT32_MIN;
    return static_cast<std::int32_t>(value);
}

Word lookup_int32_to_fp32(std::int32_t k) {
    return from_float(static_cast<float>(static_cast<std::int8_t>(k & 0xFF)));
}

Word lookup_exp(std::int32_t k) {
    const int index = static_cast<std::int8_t>(k & 0xFF);
    if (index < -103 || index > 88) return 0;
    return from_float(static_cast<float>(std::exp(static_cast<double>(index))));
}

Word taylor_exp(Word x, int series) {
    Word sum = coefficient(series);
    for (int j = series - 1; j >= 0; --j) sum = multiply_add(sum, x, coefficient(j));
    return sum;
}

Word exponential(Word x, int series) {
    const std::int32_t whole = to_int32(x);
    const Word fraction = subtract(x, lookup_int32_to_fp32(whole));
    const Word table = lookup_exp(whole);
    return multiply_add(table, taylor_tail(fraction, series), table);
}

Word sigmoid(Word x, int series) { return reciprocal(add(kOne, exponential(negate(x), series))); }

Word hyperbolic_tangent(Word x, int series) {
    const Word p = exponential(x, series);
    const Word m = reciprocal(p);
    const Word ratio = multiply(m, reciprocal(add(p, m)));
    return subtract(kOne, multiply(from_float(2.0F), ratio));
}

std::int64_t shift(std::int64_t value, std::int64_t amount) {
    // Operands have at most 32 bits: a shift by more than 32 leaves only zeros or the sign.
    if (amount > 32) return 0;
    if (amount >= 0) return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << amount);
    return value >> (amount < -63 ? 63 : -amount);
}

std::int64_t rounding_shift(std::int64_t value, std::int64_t amount) {
    if (amount == 0) return value;
    return (value + (std::int64_t{1} << (amount - 1))) >> amount;
}

std::int64_t saturate(std::int64_t value, bool is_signed, int bits) {
    const std::int64_t high =
        is_signed ? (std::int64_t{1} << (bits - 1)) - 1 : (std::int64_t{1} << bits) - 1;
    const std::int64_t low = is_signed ? -high - 1 : 0;
    return value < low ? low : value > high ? high : value;
}

}  // namespace okksim::tests::reference
