// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduction/combiner.h"

#include <limits>

#include "isa/errors.h"
#include "kernels/call/computing.h"
#include "kernels/prim/convert.h"
#include "kernels/prim/integer.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"
#include "kernels/prim/word_sum.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;
using prim::NanMode;
using prim::Scratch;
namespace raw = prim::raw;

constexpr std::uint32_t kOnes = 0xFFFFFFFFu;
constexpr std::uint32_t kInfinityBits = 0x7F800000u;
constexpr std::uint32_t kNanBits = 0x7FC00000u;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// All ones where x is NaN. 3 commands.
void nan_mask(const LocalTensor& mask, const LocalTensor& x) {
    prim::is_not_nan(mask, x, kOnes);
    raw::bit_xor(mask, mask, kOnes);
}

/// x as a number that fp32 comparison orders as ARGMAX wants it: infinities become +-2^100, NaN
/// +-2^102 or more.
void bounded_key(const LocalTensor& x, NanMode mode, Scratch& scratch) {
    constexpr float kBound = 0x1p100f;
    constexpr std::uint32_t kFar = 0x72800000u;  // 2^102
    Scratch::Frame frame(scratch);
    const LocalTensor far = frame.plane(x.shape);
    prim::is_not_nan(far, x, kFar);
    raw::bit_xor(far, far, kFar);
    raw::maximum(x, x, -kBound);  // gives the constant for NaN
    raw::minimum(x, x, kBound);
    if (mode == NanMode::kPropagate) {
        raw::add(x, x, far);
    } else {
        raw::subtract(x, x, far);
    }
    // Both sums turned -0 into +0, except when -0 had nothing subtracted.
    if (mode == NanMode::kIgnore) raw::add(x, x, 0.0f);
}

/// x as an int32 that orders like the number: exact, denormals included; zeros are equal.
void integer_key(const LocalTensor& x, NanMode mode, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor nan = frame.plane(x.shape);
    const LocalTensor t = frame.plane(x.shape);
    nan_mask(nan, x);
    raw::select_equal(t, x, prim::kSignBit, prim::kSignBit);
    raw::bit_xor(x, x, t);
    raw::shift_right_arithmetic(t, x, 31);
    raw::bit_and(t, t, prim::kMagnitudeBits);
    raw::bit_xor(x, x, t);
    raw::bit_xor(t, nan, kOnes);
    raw::bit_and(x, x, t);
    raw::bit_and(nan, nan, mode == NanMode::kPropagate ? prim::kMagnitudeBits : prim::kSignBit);
    raw::bit_or(x, x, nan);
}

/// Moves the exponent of the mantissa (any fp32) into `exponent`, an fp32 integer: leaves 1 <=
/// |mantissa| < 2, zero, infinity or NaN.
void normalise(const LocalTensor& mantissa, const LocalTensor& exponent, bool add,
               Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor field = frame.plane(mantissa.shape);
    const LocalTensor keep = frame.plane(mantissa.shape);
    const LocalTensor mask = frame.plane(mantissa.shape);
    raw::bit_and(field, mantissa, kInfinityBits);
    raw::shift_right_logical(field, field, 23);
    prim::small_int32_to_float(field, field);
    // What has no exponent keeps its bits: zero (and denormals, which become zero), infinity, NaN.
    raw::select_greater(mask, field, 0.5f, kOnes);
    raw::select_less(keep, field, 254.5f, kOnes);
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

/// mantissa *= 2^exponent, where the exponent is clamped to +-300: beyond that the result is zero
/// or infinite anyway.
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

}  // namespace

int Combiner::parts() const {
    switch (combination_) {
        case Combination::kFloatMaximum:
        case Combination::kFloatMinimum:
        case Combination::kProduct:
        case Combination::kPlainArgmax:
        case Combination::kFloatArgmax: return 2;
        case Combination::kFullRangeArgmax: return 3;
        case Combination::kCheckedSum: return static_cast<int>(prim::word_sum_limbs(terms_));
        case Combination::kCheckedWindowSum: return 2;
        case Combination::kFloatSum:
        case Combination::kIntegerSum:
        case Combination::kPlainMaximum:
        case Combination::kPlainMinimum:
        case Combination::kIntegerMaximum:
        case Combination::kIntegerMinimum:
        case Combination::kAnd:
        case Combination::kOr: return 1;
    }
    OKKSIM_CHECK(false);
}

int Combiner::planes() const {
    switch (combination_) {
        case Combination::kIntegerSum: return prim::kAddPlanes;
        case Combination::kCheckedSum:
        case Combination::kCheckedWindowSum: return prim::kSettlePlanes;
        case Combination::kIntegerMaximum:
        case Combination::kIntegerMinimum: return prim::kMinMaxInt32Planes;
        case Combination::kProduct: return 3 + prim::kBlendPlanes;
        case Combination::kPlainArgmax:
        case Combination::kFloatArgmax: return 1 + prim::kBlendPlanes;
        case Combination::kFullRangeArgmax: return 2 + prim::kBlendPlanes;
        case Combination::kFloatSum:
        case Combination::kFloatMaximum:
        case Combination::kFloatMinimum:
        case Combination::kPlainMaximum:
        case Combination::kPlainMinimum:
        case Combination::kAnd:
        case Combination::kOr: return 0;
    }
    OKKSIM_CHECK(false);
}

bool Combiner::ordered() const {
    return combination_ == Combination::kPlainArgmax || combination_ == Combination::kFloatArgmax ||
           combination_ == Combination::kFullRangeArgmax;
}

std::uint32_t Combiner::neutral() const {
    const bool ignore = nan_mode_ == NanMode::kIgnore;
    switch (combination_) {
        case Combination::kFloatSum:
        case Combination::kIntegerSum:
        case Combination::kCheckedSum:
        case Combination::kCheckedWindowSum:
        case Combination::kOr: return 0;
        case Combination::kAnd: return 1;
        case Combination::kFloatMaximum: return ignore ? kNanBits : kInfinityBits | prim::kSignBit;
        case Combination::kFloatMinimum: return ignore ? kNanBits : kInfinityBits;
        case Combination::kPlainMaximum: return kInfinityBits | prim::kSignBit;
        case Combination::kPlainMinimum: return kInfinityBits;
        case Combination::kIntegerMaximum: return 0x80000000u;
        case Combination::kIntegerMinimum: return 0x7FFFFFFFu;
        case Combination::kProduct: return 0x3F800000u;
        case Combination::kPlainArgmax:
        case Combination::kFloatArgmax:
        case Combination::kFullRangeArgmax: break;
    }
    OKKSIM_CHECK(false);
}

void Combiner::prepare(const Values& values, Scratch& scratch) const {
    const LocalTensor& x = values.part[0];
    switch (combination_) {
        case Combination::kFloatMaximum:
            nan_mask(values.part[1], x);
            raw::maximum(x, x, -kInfinity);  // gives the constant for NaN
            return;
        case Combination::kFloatMinimum:
            nan_mask(values.part[1], x);
            raw::minimum(x, x, kInfinity);
            return;
        case Combination::kProduct: normalise(x, values.part[1], false, scratch); return;
        case Combination::kFloatArgmax: bounded_key(x, nan_mode_, scratch); return;
        case Combination::kCheckedSum:
        case Combination::kCheckedWindowSum:
            prim::cut_words(values.part, static_cast<std::size_t>(parts()));
            return;
        case Combination::kFullRangeArgmax:
            integer_key(x, nan_mode_, scratch);
            prim::unsigned_half_to_float(values.part[1], x, prim::Half::kLow, 0);
            raw::add(values.part[1], values.part[1], 1.0f);
            prim::signed_high_half_to_float(x, x, 0);
            return;
        case Combination::kFloatSum:
        case Combination::kIntegerSum:
        case Combination::kPlainMaximum:
        case Combination::kPlainMinimum:
        case Combination::kIntegerMaximum:
        case Combination::kIntegerMinimum:
        case Combination::kAnd:
        case Combination::kOr:
        case Combination::kPlainArgmax: return;
    }
}

void Combiner::combine(const Values& dst, const Values& a, const Values& b,
                       Scratch& scratch) const {
    charge(OwnWork::kCombination);
    const LocalTensor& to = dst.part[0];
    const LocalTensor& x = a.part[0];
    const LocalTensor& y = b.part[0];
    switch (combination_) {
        case Combination::kFloatSum: raw::add(to, x, y); return;
        case Combination::kIntegerSum: prim::add_int32(to, x, y, scratch); return;
        case Combination::kCheckedSum:
        case Combination::kCheckedWindowSum:
            for (std::size_t i = 0; i < static_cast<std::size_t>(parts()); ++i) {
                raw::add(dst.part[i], a.part[i], b.part[i]);
            }
            if (combination_ == Combination::kCheckedWindowSum) settle(dst, scratch);
            return;
        case Combination::kPlainMaximum: raw::maximum(to, x, y); return;
        case Combination::kPlainMinimum: raw::minimum(to, x, y); return;
        case Combination::kIntegerMaximum: prim::maximum_int32(to, x, y, scratch); return;
        case Combination::kIntegerMinimum: prim::minimum_int32(to, x, y, scratch); return;
        case Combination::kAnd: raw::bit_and(to, x, y); return;
        case Combination::kOr: raw::bit_or(to, x, y); return;
        case Combination::kFloatMaximum:
        case Combination::kFloatMinimum:
            if (combination_ == Combination::kFloatMaximum) {
                raw::maximum(to, x, y);
            } else {
                raw::minimum(to, x, y);
            }
            if (nan_mode_ == NanMode::kPropagate) {
                raw::bit_or(dst.part[1], a.part[1], b.part[1]);
            } else {
                raw::bit_and(dst.part[1], a.part[1], b.part[1]);
            }
            return;
        case Combination::kProduct:
            raw::multiply(to, x, y);
            raw::add(dst.part[1], a.part[1], b.part[1]);
            normalise(to, dst.part[1], true, scratch);
            return;
        case Combination::kPlainArgmax:
        case Combination::kFloatArgmax:
        case Combination::kFullRangeArgmax: combine_indices(dst, a, b, scratch); return;
    }
}

/// Takes b where its keys are greater: then it has the first index of the greater value.
void Combiner::combine_indices(const Values& dst, const Values& a, const Values& b,
                               Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    const dim4& shape = dst.part[0].shape;
    const LocalTensor later = frame.plane(shape);
    raw::select_greater(later, b.part[0], a.part[0], kOnes);
    if (parts() == 3) {
        const LocalTensor equal = frame.plane(shape);
        Scratch::Frame inner(scratch);
        const LocalTensor lower = inner.plane(shape);
        raw::select_equal(equal, b.part[0], a.part[0], kOnes);
        raw::select_greater(lower, b.part[1], a.part[1], kOnes);
        raw::bit_and(equal, equal, lower);
        raw::bit_or(later, later, equal);
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(parts()); ++i) {
        prim::blend(dst.part[i], later, b.part[i], a.part[i], scratch);
    }
}

std::int64_t Combiner::most_unsettled() const {
    return combination_ == Combination::kCheckedSum ? prim::kTermsUnsettled
                                                    : std::numeric_limits<std::int64_t>::max();
}

void Combiner::settle(const Values& values, Scratch& scratch) const {
    if (!checks()) return;
    prim::settle_words(values.part, static_cast<std::size_t>(parts()), scratch);
}

LocalTensor Combiner::finish(const Values& values, Scratch& scratch,
                             const LocalTensor* violations) const {
    const LocalTensor& x = values.part[0];
    switch (combination_) {
        case Combination::kFloatMaximum:
        case Combination::kFloatMinimum: raw::bit_or(x, x, values.part[1]); return x;
        case Combination::kProduct: apply_exponent(x, values.part[1], scratch); return x;
        case Combination::kPlainArgmax:
        case Combination::kFloatArgmax: return values.part[1];
        case Combination::kFullRangeArgmax: return values.part[2];
        case Combination::kCheckedSum:
        case Combination::kCheckedWindowSum:
            OKKSIM_CHECK(violations != nullptr);
            prim::join_words(values.part, static_cast<std::size_t>(parts()), *violations, scratch);
            return x;
        case Combination::kFloatSum:
        case Combination::kIntegerSum:
        case Combination::kPlainMaximum:
        case Combination::kPlainMinimum:
        case Combination::kIntegerMaximum:
        case Combination::kIntegerMinimum:
        case Combination::kAnd:
        case Combination::kOr: return x;
    }
    OKKSIM_CHECK(false);
}

}  // namespace okksim::kernels
