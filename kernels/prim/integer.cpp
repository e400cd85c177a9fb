// SPDX-License-Identifier: Apache-2.0
#include "kernels/prim/integer.h"

#include "kernels/prim/magic.h"
#include "kernels/prim/native.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels::prim {
namespace {

bool has_arithmetic(const Scratch& scratch) { return scratch.lanes().has(isa::Feature::kIntAlu); }

/// Lowest bit of both halves of a word.
constexpr std::uint32_t kHalfUnits = 0x00010001;

/// Second part of an addition. x = a ^ b and y = a & b are given and destroyed. Averages of both
/// 16-bit halves, floor((a + b) / 2) = (a & b) + ((a ^ b) >> 1), cannot overflow. A 32-bit shift
/// left then doubles them and carries from the low to the high half.
void finish_addition(const LocalTensor& dst, const LocalTensor& x, const LocalTensor& y) {
    raw::halves_shift_right(dst, x, 1);
    raw::halves_add(y, y, dst);
    raw::bit_and(x, x, kHalfUnits);
    // The carry out of the low half may meet an odd unit of the high half. Together they are two
    // units, which is one unit before doubling.
    raw::shift_left(dst, y, 1);
    raw::bit_and(dst, dst, x);
    raw::halves_add(y, y, dst);
    raw::shift_left(y, y, 1);
    raw::bit_xor(dst, y, x);
}

/// Second part of a subtraction a - b. `differing` is a ^ b and `taken` is b & ~a, which are only
/// read; x, y and t are destroyed. The mirror image of finish_addition with floor((a - b) / 2) =
/// ((a ^ b) >> 1) - (b & ~a).
void finish_subtraction(const LocalTensor& dst, const LocalTensor& differing,
                        const LocalTensor& taken, const LocalTensor& x, const LocalTensor& y,
                        const LocalTensor& t) {
    raw::halves_shift_right(t, differing, 1);
    raw::halves_subtract(y, t, taken, U16_OP_U16_TO_S16);
    raw::bit_and(x, differing, kHalfUnits);
    // A borrow of the low half is now bit 16 of the doubled word. Without an odd unit in the high
    // half it takes two units from it, which is one before doubling.
    raw::shift_left(t, y, 1);
    raw::bit_xor(dst, x, 0x00010000u);
    raw::bit_and(t, t, dst);
    raw::halves_subtract(y, y, t, S16_OP_S16_TO_S16);
    raw::shift_left(y, y, 1);
    raw::bit_xor(dst, y, x);
}

/// Key that compares with kCompareCentre as a compares with b. Saturated differences of the halves
/// keep their signs; clamped to 7 bits, both fit a mantissa.
constexpr float kCompareCentre = 8388608.0f + 64.0f * 65536.0f + 32768.0f;
void compare_key(const LocalTensor& key, const LocalTensor& other, const LocalTensor& a,
                 const LocalTensor& b) {
    raw::bit_xor(key, a, kSignBit);
    raw::bit_xor(other, b, kSignBit);
    raw::halves_subtract(key, key, other, U16_OP_U16_TO_S16);
    raw::halves_clamp(key, key, -63, 63);
    raw::bit_and(key, key, kFractionField);
    raw::bit_xor(key, key, kIntegerMagicBits | 0x00408000u);
}

}  // namespace

void add_int32(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
               Scratch& scratch) {
    if (has_arithmetic(scratch)) return native::add(dst, a, b);
    Scratch::Frame frame(scratch);
    const LocalTensor x = frame.plane(dst.shape);
    const LocalTensor y = frame.plane(dst.shape);
    raw::bit_xor(x, a, b);
    raw::bit_and(y, a, b);
    finish_addition(dst, x, y);
}

void add_int32(const LocalTensor& dst, const LocalTensor& a, std::int32_t b, Scratch& scratch) {
    if (has_arithmetic(scratch)) return native::add(dst, a, b);
    Scratch::Frame frame(scratch);
    const LocalTensor x = frame.plane(dst.shape);
    const LocalTensor y = frame.plane(dst.shape);
    raw::bit_xor(x, a, static_cast<std::uint32_t>(b));
    raw::bit_and(y, a, static_cast<std::uint32_t>(b));
    finish_addition(dst, x, y);
}

void subtract_int32(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                    Scratch& scratch) {
    if (has_arithmetic(scratch)) return native::subtract(dst, a, b);
    Scratch::Frame frame(scratch);
    const LocalTensor x = frame.plane(dst.shape);
    const LocalTensor y = frame.plane(dst.shape);
    const LocalTensor t = frame.plane(dst.shape);
    raw::bit_xor(x, a, b);
    raw::bit_and(y, x, b);
    finish_subtraction(dst, x, y, x, y, t);
}

void negate_int32(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    if (has_arithmetic(scratch)) return native::subtract_from(dst, a, 0);
    Scratch::Frame frame(scratch);
    const LocalTensor x = frame.plane(dst.shape);
    const LocalTensor y = frame.plane(dst.shape);
    const LocalTensor t = frame.plane(dst.shape);
    finish_subtraction(dst, a, a, x, y, t);  // 0 ^ a and a & ~0
}

void absolute_int32(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    if (has_arithmetic(scratch)) return native::absolute(dst, a);
    Scratch::Frame frame(scratch);
    const LocalTensor sign = frame.plane(dst.shape);
    const LocalTensor flipped = frame.plane(dst.shape);
    raw::shift_right_arithmetic(sign, a, 31);
    raw::bit_xor(flipped, a, sign);
    subtract_int32(dst, flipped, sign, scratch);
}

void greater_int32(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                   std::uint32_t bits, Scratch& scratch) {
    if (has_arithmetic(scratch)) return native::greater(dst, a, b, bits);
    Scratch::Frame frame(scratch);
    const LocalTensor key = frame.plane(dst.shape);
    compare_key(key, frame.plane(dst.shape), a, b);
    raw::select_greater(dst, key, kCompareCentre, bits);
}

void greater_equal_int32(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                         std::uint32_t bits, Scratch& scratch) {
    if (has_arithmetic(scratch)) return native::greater_equal(dst, a, b, bits);
    Scratch::Frame frame(scratch);
    const LocalTensor key = frame.plane(dst.shape);
    compare_key(key, frame.plane(dst.shape), a, b);
    raw::select_greater(dst, key, kCompareCentre - 1.0f, bits);
}

void equal_bits(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                std::uint32_t bits) {
    raw::select_equal(dst, a, b, bits);
}

void maximum_int32(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                   Scratch& scratch) {
    if (has_arithmetic(scratch)) return native::maximum(dst, a, b);
    Scratch::Frame frame(scratch);
    const LocalTensor mask = frame.plane(dst.shape);
    greater_int32(mask, a, b, kAllOnes, scratch);
    blend(dst, mask, a, b, scratch);
}

void minimum_int32(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                   Scratch& scratch) {
    if (has_arithmetic(scratch)) return native::minimum(dst, a, b);
    Scratch::Frame frame(scratch);
    const LocalTensor mask = frame.plane(dst.shape);
    greater_int32(mask, b, a, kAllOnes, scratch);
    blend(dst, mask, a, b, scratch);
}

void blend(const LocalTensor& dst, const LocalTensor& mask, const LocalTensor& a,
           const LocalTensor& b, Scratch& scratch) {
    if (has_arithmetic(scratch)) return native::select(dst, mask, a, b);
    Scratch::Frame frame(scratch);
    const LocalTensor difference = frame.plane(dst.shape);
    raw::bit_xor(difference, a, b);
    raw::bit_and(difference, difference, mask);
    raw::bit_xor(dst, difference, b);
}

void select(const LocalTensor& dst, const LocalTensor& condition, const LocalTensor& a,
            const LocalTensor& b, Scratch& scratch) {
    if (has_arithmetic(scratch)) return native::select(dst, condition, a, b);
    Scratch::Frame frame(scratch);
    const LocalTensor is_false = frame.plane(dst.shape);
    raw::select_equal(is_false, condition, 0u, kAllOnes);
    blend(dst, is_false, b, a, scratch);
}

void is_not_zero(const LocalTensor& dst, const LocalTensor& a) {
    raw::select_equal(dst, a, 0u, 1);
    raw::bit_xor(dst, dst, 1u);
}

void bitwise_not(const LocalTensor& dst, const LocalTensor& a) { raw::bit_xor(dst, a, kAllOnes); }

void shift_left_int32(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& amount) {
    raw::shift_logical(dst, a, amount);
}

namespace {

/// offset - amount, for amounts in 0..31.
void subtract_amount(const LocalTensor& dst, const LocalTensor& amount, float offset) {
    raw::bit_or(dst, amount, kIntegerMagicBits);
    raw::subtract_from(dst, dst, kIntegerMagic + offset);
    raw::to_int32(dst, dst);
}

}  // namespace

void shift_right_logical_int32(const LocalTensor& dst, const LocalTensor& a,
                               const LocalTensor& amount, Scratch& scratch) {
    if (has_arithmetic(scratch)) return native::shift_right_logical(dst, a, amount);
    Scratch::Frame frame(scratch);
    const LocalTensor right = frame.plane(dst.shape);
    subtract_amount(right, amount, 0.0f);
    raw::shift_logical(dst, a, right);
}

void shift_right_arithmetic_int32(const LocalTensor& dst, const LocalTensor& a,
                                  const LocalTensor& amount, bool round, Scratch& scratch) {
    if (has_arithmetic(scratch)) {
        return round ? native::shift_right_round(dst, a, amount)
                     : native::shift_right(dst, a, amount);
    }
    Scratch::Frame frame(scratch);
    const LocalTensor right = frame.plane(dst.shape);
    subtract_amount(right, amount, 0.0f);
    if (!round) {
        raw::shift_arithmetic(dst, a, right);
        return;
    }
    const LocalTensor floor = frame.plane(dst.shape);
    const LocalTensor last_bit = frame.plane(dst.shape);
    raw::shift_arithmetic(floor, a, right);
    // Shifts by one bit less. An amount of 0 shifts left by one and leaves 0 in the last bit.
    subtract_amount(right, amount, 1.0f);
    raw::shift_arithmetic(last_bit, a, right);
    raw::bit_and(last_bit, last_bit, 1u);
    add_int32(dst, floor, last_bit, scratch);
}

}  // namespace okksim::kernels::prim
