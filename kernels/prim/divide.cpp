// SPDX-License-Identifier: Apache-2.0
#include "kernels/prim/convert.h"
#include "kernels/prim/integer.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/native.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels::prim {
namespace {

/// Slightly less than one: quotients of fp32 estimates (relative error below 2^-20) never exceed
/// the true quotient.
constexpr float kBelowOne = 1.0f - power_of_two(-20);

/// fp32 of a word as uint32, rounded.
void unsigned_to_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor low = frame.plane(dst.shape);
    unsigned_half_to_float(low, a, Half::kLow, 0);
    unsigned_half_to_float(dst, a, Half::kHigh, 16);
    raw::add(dst, dst, low);
}

/// quotient = approximately remainder / divisor, never above it; remainder -= quotient * divisor.
void divide_step(const LocalTensor& quotient, const LocalTensor& remainder,
                 const LocalTensor& divisor, const LocalTensor& reciprocal, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor product = frame.plane(quotient.shape);
    unsigned_to_float(product, remainder, scratch);
    raw::multiply(product, product, reciprocal);
    raw::to_int32(quotient, product);
    multiply_int32(product, quotient, divisor, scratch);
    subtract_int32(remainder, remainder, product, scratch);
}

}  // namespace

void divide_int32(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                  Scratch& scratch) {
    if (scratch.lanes().has(isa::Feature::kIntAlu)) return native::divide(dst, a, b);
    Scratch::Frame frame(scratch);
    const LocalTensor remainder = frame.plane(dst.shape);
    const LocalTensor divisor = frame.plane(dst.shape);
    const LocalTensor sign = frame.plane(dst.shape);
    const LocalTensor reciprocal = frame.plane(dst.shape);
    const LocalTensor quotient = frame.plane(dst.shape);
    const LocalTensor more = frame.plane(dst.shape);
    raw::bit_xor(sign, a, b);
    raw::shift_right_arithmetic(sign, sign, 31);
    absolute_int32(remainder, a, scratch);  // magnitudes as uint32, up to 2^31
    absolute_int32(divisor, b, scratch);
    unsigned_to_float(reciprocal, divisor, scratch);
    raw::reciprocal_estimate(reciprocal, reciprocal);
    raw::multiply(reciprocal, reciprocal, kBelowOne);
    // The first step leaves a quotient of at most 2^12 + 1, the second one of at most 1.
    divide_step(quotient, remainder, divisor, reciprocal, scratch);
    divide_step(more, remainder, divisor, reciprocal, scratch);
    add_int32(quotient, quotient, more, scratch);
    raw::bit_xor(remainder, remainder, kSignBit);  // compare as uint32
    raw::bit_xor(divisor, divisor, kSignBit);
    greater_equal_int32(more, remainder, divisor, 1, scratch);
    add_int32(quotient, quotient, more, scratch);
    raw::bit_xor(quotient, quotient, sign);
    subtract_int32(dst, quotient, sign, scratch);
}

}  // namespace okksim::kernels::prim
