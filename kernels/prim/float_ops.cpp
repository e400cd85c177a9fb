// SPDX-License-Identifier: Apache-2.0
#include "kernels/prim/float_ops.h"

#include "kernels/prim/integer.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels::prim {

void is_not_nan(const LocalTensor& dst, const LocalTensor& a, std::uint32_t bits) {
    raw::bit_and(dst, a, kMagnitudeBits);
    raw::select_greater(dst, dst, -1.0f, bits);  // comparisons with NaN are false
}

void greater_equal_float(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                         std::uint32_t bits, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor known = frame.plane(dst.shape);
    const LocalTensor known_b = frame.plane(dst.shape);
    is_not_nan(known, a, bits);
    is_not_nan(known_b, b, bits);
    raw::bit_and(known, known, known_b);
    raw::select_greater(dst, b, a, bits);
    raw::bit_xor(dst, dst, bits);
    raw::bit_and(dst, dst, known);
}

void equal_float(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                 std::uint32_t bits, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor first = frame.plane(dst.shape);
    const LocalTensor second = frame.plane(dst.shape);
    const LocalTensor known = frame.plane(dst.shape);
    is_not_nan(known, a, bits);
    // Adding +0 turns -0 and denormals into +0 and leaves other values, so that bits can be
    // compared.
    raw::add(first, a, 0.0f);
    raw::add(second, b, 0.0f);
    raw::select_equal(dst, first, second, bits);
    raw::bit_and(dst, dst, known);
}

namespace {

using Extremum = void (*)(const LocalTensor&, const LocalTensor&, const LocalTensor&);

/// The machine's extrema give b when either operand is NaN.
void extremum(Extremum operation, const LocalTensor& dst, const LocalTensor& a,
              const LocalTensor& b, NanMode mode, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor mask = frame.plane(dst.shape);
    if (mode == NanMode::kPropagate) {
        // A NaN in b propagates without a mask.
        is_not_nan(mask, a, kAllOnes);
        raw::bit_xor(mask, mask, kAllOnes);
        operation(dst, a, b);
        raw::bit_or(dst, dst, mask);
        return;
    }
    const LocalTensor second = frame.plane(dst.shape);
    is_not_nan(mask, b, kAllOnes);
    blend(second, mask, b, a, scratch);
    operation(dst, a, second);
}

}  // namespace

void maximum_float(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b, NanMode mode,
                   Scratch& scratch) {
    extremum(raw::maximum, dst, a, b, mode, scratch);
}

void minimum_float(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b, NanMode mode,
                   Scratch& scratch) {
    extremum(raw::minimum, dst, a, b, mode, scratch);
    // Unlike the maximum, the minimum of two denormals is not flushed, but they compare as equal.
    raw::add(dst, dst, 0.0f);
}

void clamp_float(const LocalTensor& dst, const LocalTensor& a, float low, float high, NanMode mode,
                 Scratch& scratch) {
    if (mode == NanMode::kIgnore) {
        raw::maximum(dst, a, low);
        raw::minimum(dst, dst, high);
        return;
    }
    // A comparison with NaN fails and returns the second operand: first the constant, then NaN
    // again.
    Scratch::Frame frame(scratch);
    const LocalTensor bound = frame.plane(dst.shape);
    raw::maximum(bound, a, low);
    raw::maximum(dst, bound, a);
    raw::minimum(bound, dst, high);
    raw::minimum(dst, bound, dst);
}

void find_outside(const LocalTensor& hits, const LocalTensor& a, float low, float high,
                  Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor hit = frame.plane(a.shape);
    raw::select_less(hit, a, low, kSignBit);
    raw::bit_or(hits, hits, hit);
    raw::select_greater(hit, a, high, kSignBit);
    raw::bit_or(hits, hits, hit);
}

void negate_float(const LocalTensor& dst, const LocalTensor& a) { raw::bit_xor(dst, a, kSignBit); }

namespace {

/// magnitude = |a| and rounded = |a| rounded to even, for every a. The magic number is 0 for a
/// magnitude of 2^23 or more and for NaN, which need no rounding.
void round_magnitude(const LocalTensor& rounded, const LocalTensor& magnitude,
                     const LocalTensor& magic, const LocalTensor& a) {
    raw::bit_and(magnitude, a, kMagnitudeBits);
    raw::select_less(magic, magnitude, kIntegerMagic, kIntegerMagicBits);
    raw::add(rounded, magnitude, magic);
    raw::subtract(rounded, rounded, magic);
}

/// dst = value with the sign bit of a or-ed in. `sign` is destroyed.
void put_sign(const LocalTensor& dst, const LocalTensor& value, const LocalTensor& sign,
              const LocalTensor& a) {
    raw::bit_and(sign, a, kSignBit);
    raw::bit_or(dst, value, sign);
}

enum class Direction { kDown, kUp };

void round_directed(const LocalTensor& dst, const LocalTensor& a, Direction direction,
                    Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor rounded = frame.plane(dst.shape);
    const LocalTensor step = frame.plane(dst.shape);
    const LocalTensor sign = frame.plane(dst.shape);
    round_magnitude(rounded, step, sign, a);
    put_sign(rounded, rounded, sign, a);
    if (direction == Direction::kDown) {
        raw::select_greater(step, rounded, a, kOneBits);
        raw::subtract(rounded, rounded, step);
    } else {
        raw::select_greater(step, a, rounded, kOneBits);
        raw::add(rounded, rounded, step);
    }
    // -1 + 1 is +0, but a negative number rounds up to -0.
    raw::bit_or(dst, rounded, sign);
}

}  // namespace

void round_even(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor rounded = frame.plane(dst.shape);
    const LocalTensor magnitude = frame.plane(dst.shape);
    const LocalTensor sign = frame.plane(dst.shape);
    round_magnitude(rounded, magnitude, sign, a);
    put_sign(dst, rounded, sign, a);
}

void round_down(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    round_directed(dst, a, Direction::kDown, scratch);
}

void round_up(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    round_directed(dst, a, Direction::kUp, scratch);
}

}  // namespace okksim::kernels::prim
