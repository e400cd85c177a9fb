// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "isa/base/errors.h"
#include "kernels/prim/integer.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/native.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels::prim {
namespace {

/// Operands are cut into limbs of 11 + 11 + 10 bits. Products of limbs and sums of three of them
/// are exact in fp32.
constexpr int kLimbBits = 11;
constexpr std::uint32_t kLimbMask = (1u << kLimbBits) - 1;
constexpr float kLimbShift = power_of_two(-kLimbBits);

using Limbs = std::array<LocalTensor, 3>;

Limbs planes_for_limbs(Scratch::Frame& frame, const dim4& shape) {
    return {frame.plane(shape), frame.plane(shape), frame.plane(shape)};
}

/// a = limb 0 + 2^11 limb 1 + 2^22 limb 2, the last one signed.
void cut(const Limbs& limbs, const LocalTensor& a) {
    raw::bit_and(limbs[0], a, kLimbMask);
    raw::bit_or(limbs[0], limbs[0], kIntegerMagicBits);
    raw::subtract(limbs[0], limbs[0], kIntegerMagic);
    raw::shift_right_logical(limbs[1], a, kLimbBits);
    raw::bit_and(limbs[1], limbs[1], kLimbMask);
    raw::bit_or(limbs[1], limbs[1], kIntegerMagicBits);
    raw::subtract(limbs[1], limbs[1], kIntegerMagic);
    raw::shift_right_logical(limbs[2], a, 2 * kLimbBits);
    raw::bit_xor(limbs[2], limbs[2], kIntegerMagicBits | 0x200u);
    raw::subtract(limbs[2], limbs[2], kIntegerMagic + 512.0f);
}

/// Column k of the product: the sum of a[i] * b[k - i].
void column(const LocalTensor& sum, const Limbs& a, const Limbs& b, int k) {
    bool first = true;
    for (int i = 0; i < 3; ++i) {
        if (k - i < 0 || k - i > 2) continue;
        const LocalTensor& x = a[static_cast<std::size_t>(i)];
        const LocalTensor& y = b[static_cast<std::size_t>(k - i)];
        if (first) {
            raw::multiply(sum, x, y);
        } else {
            raw::multiply_add(sum, x, y);
        }
        first = false;
    }
}

/// Leaves the low limb of `sum` in it as an integer and adds the rest to the next column; 0 <= sum
/// < 2^23.
void carry_unsigned(const LocalTensor& sum, const LocalTensor& next, const LocalTensor& t) {
    raw::add(t, sum, kIntegerMagic);
    raw::bit_and(sum, t, kLimbMask);
    raw::bit_and(t, t, ~kLimbMask);
    raw::subtract(t, t, kIntegerMagic);
    raw::multiply_add(next, t, kLimbShift);
}

/// Moves the low limb of `sum` to `digit` and adds the rest to the next column; |sum| < 2^24.
void carry_signed(const LocalTensor& digit, const LocalTensor& sum, const LocalTensor& next,
                  const LocalTensor& t) {
    raw::to_int32(digit, sum);
    raw::bit_and(digit, digit, kLimbMask);
    raw::bit_or(t, digit, kIntegerMagicBits);
    raw::subtract(t, t, kIntegerMagic);
    raw::subtract(t, sum, t);
    raw::multiply_add(next, t, kLimbShift);
}

/// low |= middle << 11 | high << 22; middle and high are destroyed.
void assemble(const LocalTensor& low, const LocalTensor& middle, const LocalTensor& high) {
    raw::shift_left(middle, middle, kLimbBits);
    raw::bit_or(low, low, middle);
    raw::shift_left(high, high, 2 * kLimbBits);
    raw::bit_or(low, low, high);
}

}  // namespace

void multiply_int32(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                    Scratch& scratch) {
    if (scratch.lanes().has(isa::Feature::kIntAlu)) return native::multiply(dst, a, b, 0);
    Scratch::Frame frame(scratch);
    const Limbs x = planes_for_limbs(frame, dst.shape);
    const Limbs y = planes_for_limbs(frame, dst.shape);
    const Limbs sums = planes_for_limbs(frame, dst.shape);
    const LocalTensor t = frame.plane(dst.shape);
    cut(x, a);
    cut(y, b);
    for (int k = 0; k < 3; ++k) column(sums[static_cast<std::size_t>(k)], x, y, k);
    carry_unsigned(sums[0], sums[1], t);
    carry_unsigned(sums[1], sums[2], t);
    raw::to_int32(t, sums[2]);
    assemble(sums[0], sums[1], t);
    raw::copy(dst, sums[0]);
}

namespace {

/// Uses the command for products. A result that saturation changes is not the full result.
void multiply_shift_natively(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                             int shift, Scratch& scratch, const LocalTensor* violations) {
    if (violations != nullptr) {
        Scratch::Frame frame(scratch);
        const LocalTensor nearest = frame.plane(dst.shape);
        const LocalTensor wrapped = frame.plane(dst.shape);
        native::multiply(wrapped, a, b, shift);
        native::multiply_saturated(nearest, a, b, shift);
        raw::select_equal(nearest, nearest, wrapped, kSignBit);
        raw::bit_xor(nearest, nearest, kSignBit);
        raw::bit_or(*violations, *violations, nearest);
    }
    native::multiply(dst, a, b, shift);
}

}  // namespace

void multiply_shift_int32(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                          int shift, Scratch& scratch, const LocalTensor* violations) {
    OKKSIM_CHECK(shift >= 1 && shift <= 63);
    if (scratch.lanes().has(isa::Feature::kIntAlu)) {
        return multiply_shift_natively(dst, a, b, shift, scratch, violations);
    }
    Scratch::Frame frame(scratch);
    const Limbs x = planes_for_limbs(frame, dst.shape);
    const Limbs y = planes_for_limbs(frame, dst.shape);
    std::array<LocalTensor, 5> sums;
    cut(x, a);
    cut(y, b);
    for (int k = 0; k < 5; ++k) {
        LocalTensor& sum = sums[static_cast<std::size_t>(k)];
        sum = frame.plane(dst.shape);
        column(sum, x, y, k);
    }
    const int rounding_column = std::min((shift - 1) / kLimbBits, 4);
    const LocalTensor& rounded = sums[static_cast<std::size_t>(rounding_column)];
    raw::add(rounded, rounded, power_of_two(shift - 1 - kLimbBits * rounding_column));

    // The limbs are no longer needed; their planes hold the digits.
    const LocalTensor& t = x[0];
    carry_unsigned(sums[0], sums[1], t);
    carry_unsigned(sums[1], sums[2], t);
    const LocalTensor& digit2 = x[1];
    const LocalTensor& digit3 = x[2];
    carry_signed(digit2, sums[2], sums[3], t);
    carry_signed(digit3, sums[3], sums[4], t);
    const LocalTensor& high = y[0];
    raw::to_int32(high, sums[4]);
    // Bits 32 and up: the last bit of digit 2, digit 3, the rest.
    raw::shift_left(high, high, 12);
    raw::shift_left(digit3, digit3, 1);
    raw::bit_or(high, high, digit3);
    raw::shift_right_logical(digit3, digit2, 10);
    raw::bit_or(high, high, digit3);
    if (shift >= 32) {
        raw::shift_right_arithmetic(dst, high, shift - 32);
        return;
    }
    if (violations != nullptr) {
        // Bits shift + 31 and up are all equal if the result fits.
        raw::shift_right_arithmetic(t, high, shift - 1);
        raw::shift_right_arithmetic(digit3, high, 31);
        raw::select_equal(t, t, digit3, kSignBit);
        raw::bit_xor(t, t, kSignBit);
        raw::bit_or(*violations, *violations, t);
    }
    assemble(sums[0], sums[1], digit2);
    raw::shift_right_logical(sums[0], sums[0], shift);
    raw::shift_left(high, high, 32 - shift);
    raw::bit_or(dst, sums[0], high);
}

}  // namespace okksim::kernels::prim
