// SPDX-License-Identifier: Apache-2.0
#include "kernels/prim/word_sum.h"

#include "kernels/prim/float_ops.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels::prim {
namespace {

constexpr int kLowerBits = 19;
constexpr std::uint32_t kLowerMask = (1u << kLowerBits) - 1;
/// The upper part of a word is a signed number of 13 bits.
constexpr float kUpperRange = power_of_two(32 - kLowerBits - 1);
constexpr std::uint32_t kUpperSign = 1u << (32 - kLowerBits - 1);

}  // namespace

void cut_words(const WordLimbs& limbs, std::size_t count) {
    raw::shift_right_logical(limbs[1], limbs[0], kLowerBits);
    raw::bit_xor(limbs[1], limbs[1], kIntegerMagicBits | kUpperSign);
    raw::subtract(limbs[1], limbs[1], kIntegerMagic + kUpperRange);
    raw::bit_and(limbs[0], limbs[0], kLowerMask);
    raw::bit_or(limbs[0], limbs[0], kIntegerMagicBits);
    raw::subtract(limbs[0], limbs[0], kIntegerMagic);
    if (count > 2) raw::fill(limbs[2], 0.0f);
}

void settle_words(const WordLimbs& limbs, std::size_t count, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor moved = frame.plane(limbs[0].shape);
    for (std::size_t i = 0; i + 1 < count; ++i) {
        raw::add(moved, limbs[i], rounding_magic(kLowerBits));
        raw::subtract(moved, moved, rounding_magic(kLowerBits));
        raw::subtract(limbs[i], limbs[i], moved);
        raw::multiply_add(limbs[i + 1], moved, power_of_two(-kLowerBits));
    }
}

void join_words(const WordLimbs& limbs, std::size_t count, const LocalTensor& violations,
                Scratch& scratch) {
    settle_words(limbs, count, scratch);
    const LocalTensor& low = limbs[0];
    const LocalTensor& high = limbs[1];
    // A third limb that is not zero exceeds the second one, so rounding does not matter.
    if (count > 2) raw::multiply_add(high, limbs[2], power_of_two(kLowerBits));
    {
        // A negative limb borrows from the next one, which then decides alone.
        Scratch::Frame frame(scratch);
        const LocalTensor borrow = frame.plane(low.shape);
        raw::select_less(borrow, low, 0.0f, kOneBits);
        raw::subtract(high, high, borrow);
    }
    find_outside(violations, high, -kUpperRange, kUpperRange - 1.0f, scratch);
    raw::to_int32(low, low);
    raw::bit_and(low, low, kLowerMask);
    raw::to_int32(high, high);
    raw::shift_left(high, high, kLowerBits);
    raw::bit_or(low, low, high);
}

}  // namespace okksim::kernels::prim
