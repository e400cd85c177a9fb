// SPDX-License-Identifier: Apache-2.0
#include "kernels/prim/leading_zeros.h"

#include "kernels/prim/convert.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/native.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels::prim {

void count_leading_zeros(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    if (scratch.lanes().has(isa::Feature::kIntAlu)) return native::leading_zeros(dst, a);
    Scratch::Frame frame(scratch);
    const LocalTensor high = frame.plane(dst.shape);
    const LocalTensor low = frame.plane(dst.shape);
    // Clearing the bit after the leading one prevents later rounding from reaching the next power.
    raw::shift_right_logical(high, a, 1);
    raw::bit_and(high, high, a);
    raw::bit_xor(dst, a, high);
    unsigned_half_to_float(high, dst, Half::kHigh, 0);
    raw::bit_and(low, dst, 0xFFFFu);
    raw::bit_or(low, low, kIntegerMagicBits);
    // One half is below every other value, so a word of zero gets 32 leading zeros.
    raw::subtract(low, low, kIntegerMagic - 0.5f);
    raw::multiply_add(low, high, 65536.0f);
    // The exponent of the value is 127 + 31 - zeros.
    raw::shift_right_logical(low, low, 23);
    raw::bit_or(low, low, kIntegerMagicBits);
    raw::subtract_from(low, low, kIntegerMagic + 158.0f);
    raw::to_int32(dst, low);
}

}  // namespace okksim::kernels::prim
