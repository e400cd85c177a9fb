// SPDX-License-Identifier: Apache-2.0
#include "kernels/prim/exact_sum.h"

#include "kernels/prim/float_ops.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels::prim {
namespace {

constexpr int kHighUnit = 16;
constexpr int kTopUnit = 32;

/// Moves the multiples of 2^unit from `from` to `to`.
void carry(const LocalTensor& to, const LocalTensor& from, int unit, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor moved = frame.plane(from.shape);
    raw::add(moved, from, rounding_magic(unit));
    raw::subtract(moved, moved, rounding_magic(unit));
    raw::add(to, to, moved);
    raw::subtract(from, from, moved);
}

/// Converts the 16 low bits of a sum part, which may be negative, to words. Subtracts the borrow
/// from `next`, whose unit is 2^16 times the part's.
void take_half(const LocalTensor& part, const LocalTensor& next, int unit, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor borrow = frame.plane(part.shape);
    raw::select_less(borrow, part, 0.0f, float_bits(power_of_two(unit + 16)));
    raw::subtract(next, next, borrow);
    if (unit != 0) raw::multiply(part, part, power_of_two(-unit));
    raw::to_int32(part, part);
}

/// Sets sign bits of `violations` if a number needs more than `bits` bits. `part` is its highest
/// part: multiples of 2^unit minus the borrow of lower parts.
void check_range(const LocalTensor& violations, const LocalTensor& part, int unit, int bits,
                 Scratch& scratch) {
    const float limit = power_of_two(bits - 1);
    find_outside(violations, part, -limit, limit - power_of_two(unit), scratch);
}

/// rest = part, minus 2^unit where `below` is negative.
void borrow_into(const LocalTensor& rest, const LocalTensor& part, const LocalTensor& below,
                 int unit) {
    raw::select_less(rest, below, 0.0f, float_bits(power_of_two(unit)));
    raw::subtract(rest, part, rest);
}

}  // namespace

void split_float(const LocalTensor& high, const LocalTensor& low, const LocalTensor& a, int unit) {
    raw::add(high, a, rounding_magic(unit));
    raw::subtract(high, high, rounding_magic(unit));
    raw::subtract(low, a, high);
}

void start_sum(const ExactSum& sum, const LocalTensor& pass, Scratch& scratch) {
    if (!sum.top) {
        split_float(sum.high, sum.low, pass, kHighUnit);
        return;
    }
    Scratch::Frame frame(scratch);
    const LocalTensor rest = frame.plane(pass.shape);
    split_float(*sum.top, rest, pass, kTopUnit);
    split_float(sum.high, sum.low, rest, kHighUnit);
}

void add_to_sum(const ExactSum& sum, const LocalTensor& pass, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor multiples = frame.plane(pass.shape);
    const LocalTensor rest = frame.plane(pass.shape);
    if (sum.top) {
        split_float(multiples, rest, pass, kTopUnit);
        raw::add(*sum.top, *sum.top, multiples);
        split_float(multiples, rest, rest, kHighUnit);
    } else {
        split_float(multiples, rest, pass, kHighUnit);
    }
    raw::add(sum.high, sum.high, multiples);
    raw::add(sum.low, sum.low, rest);
}

void carry_sum(const ExactSum& sum, Scratch& scratch) {
    carry(sum.high, sum.low, kHighUnit, scratch);
}

void settle_sum(const ExactSum& sum, Scratch& scratch) {
    carry_sum(sum, scratch);
    if (sum.top) carry(*sum.top, sum.high, kTopUnit, scratch);
}

void check_int32(const LocalTensor& violations, const ExactSum& sum, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    carry_sum(sum, scratch);
    const LocalTensor rest = frame.plane(sum.low.shape);
    borrow_into(rest, sum.high, sum.low, kHighUnit);
    check_range(violations, rest, kHighUnit, 32, scratch);
}

void check_int48(const LocalTensor& violations, const ExactSum& sum, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    settle_sum(sum, scratch);
    const LocalTensor rest = frame.plane(sum.low.shape);
    borrow_into(rest, sum.high, sum.low, kHighUnit);
    borrow_into(rest, *sum.top, rest, kTopUnit);
    check_range(violations, rest, kTopUnit, 48, scratch);
}

void sum_to_int32(const LocalTensor& dst, const ExactSum& sum, Scratch& scratch,
                  const LocalTensor* violations) {
    carry_sum(sum, scratch);
    take_half(sum.low, sum.high, 0, scratch);
    if (violations != nullptr) check_range(*violations, sum.high, kHighUnit, 32, scratch);
    raw::bit_and(sum.low, sum.low, 0xFFFFu);
    // The shift drops multiples of 2^32.
    raw::multiply(sum.high, sum.high, power_of_two(-kHighUnit));
    raw::to_int32(sum.high, sum.high);
    raw::shift_left(sum.high, sum.high, 16);
    raw::bit_or(dst, sum.high, sum.low);
}

void sum_to_int48(const WideTensor& dst, const ExactSum& sum, Scratch& scratch,
                  const LocalTensor* violations) {
    Scratch::Frame frame(scratch);
    carry_sum(sum, scratch);
    const LocalTensor top = sum.top ? *sum.top : frame.plane(sum.low.shape);
    if (!sum.top) raw::fill(top, 0.0f);
    carry(top, sum.high, kTopUnit, scratch);
    take_half(sum.low, sum.high, 0, scratch);
    take_half(sum.high, top, kHighUnit, scratch);
    if (violations != nullptr) check_range(*violations, top, kTopUnit, 48, scratch);
    raw::bit_and(sum.low, sum.low, 0xFFFFu);
    raw::shift_left(sum.high, sum.high, 16);
    raw::bit_or(dst.low, sum.high, sum.low);
    raw::multiply(top, top, power_of_two(-kTopUnit));
    raw::to_int32(top, top);
    raw::copy(dst.high, top);
}

}  // namespace okksim::kernels::prim
