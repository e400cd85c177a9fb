// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduction/scaled_value.h"

#include "kernels/prim/convert.h"
#include "kernels/prim/integer.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels {

using prim::LocalTensor;
using prim::Scratch;
namespace raw = prim::raw;

namespace {

constexpr std::uint32_t kInfinityBits = 0x7F800000u;

}  // namespace

void normalise(const LocalTensor& mantissa, const LocalTensor& exponent, bool add,
               Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor field = frame.plane(mantissa.shape);
    const LocalTensor keep = frame.plane(mantissa.shape);
    const LocalTensor mask = frame.plane(mantissa.shape);
    raw::bit_and(field, mantissa, kInfinityBits);
    raw::shift_right_logical(field, field, 23);
    prim::small_int32_to_float(field, field);
    // Values without an exponent keep their bits: zero (also from denormals), infinity, NaN.
    raw::select_greater(mask, field, 0.5f, prim::kAllOnes);
    raw::select_less(keep, field, 254.5f, prim::kAllOnes);
    raw::bit_and(mask, mask, keep);
    raw::add(field, field, -127.0f);
    raw::bit_and(field, field, mask);
    raw::multiply(keep, mantissa, 1.0f);  // flushes denormals
    raw::bit_and(mantissa, mantissa, 0x807FFFFFu);
    raw::bit_or(mantissa, mantissa, 0x3F800000u);
    prim::blend(mantissa, mask, mantissa, keep, scratch);
    if (add) {
        raw::add(exponent, exponent, field);
    } else {
        raw::copy(exponent, field);
    }
}

void apply_exponent(const LocalTensor& mantissa, const LocalTensor& exponent, Scratch& scratch) {
    constexpr float kStep = 100.0f;
    Scratch::Frame frame(scratch);
    const LocalTensor part = frame.plane(mantissa.shape);
    const LocalTensor power = frame.plane(mantissa.shape);
    for (int i = 0; i < 3; ++i) {
        raw::maximum(part, exponent, -kStep);
        raw::minimum(part, part, kStep);
        raw::subtract(exponent, exponent, part);
        raw::add(part, part, prim::kIntegerMagic + 127.0f);
        raw::shift_left(power, part, 23);
        raw::multiply(mantissa, mantissa, power);
    }
}

}  // namespace okksim::kernels
