// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduction/combiner.h"

#include <limits>

#include "isa/base/errors.h"
#include "kernels/call/computing.h"
#include "kernels/prim/convert.h"
#include "kernels/prim/integer.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"
#include "kernels/prim/word_sum.h"
#include "kernels/reduction/order_keys.h"
#include "kernels/reduction/scaled_value.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;
using prim::NanMode;
using prim::Scratch;
namespace raw = prim::raw;

constexpr std::uint32_t kInfinityBits = 0x7F800000u;
constexpr std::uint32_t kNanBits = 0x7FC00000u;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

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

void Combiner::combine_window(const LocalTensor& dst, const LocalTensor& source,
                              const WindowShape& window) const {
    OKKSIM_CHECK(has_window() && !dst.stride && !source.stride);
    if (combination_ == Combination::kPlainMaximum) {
        okk_bdc_max_pool2d(dst.address, source.address, &source.shape, window.height, window.width,
                           &window.padding, &window.stride);
        return;
    }
    okk_bdc_avg_pool2d_v2(dst.address, source.address, &source.shape, window.weight, window.height,
                          window.width, &window.padding, &window.stride);
}

/// Selects b if its keys are greater. Then dst has the first index of the greater value.
void Combiner::combine_indices(const Values& dst, const Values& a, const Values& b,
                               Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    const dim4& shape = dst.part[0].shape;
    const LocalTensor later = frame.plane(shape);
    raw::select_greater(later, b.part[0], a.part[0], prim::kAllOnes);
    if (parts() == 3) {
        const LocalTensor equal = frame.plane(shape);
        Scratch::Frame inner(scratch);
        const LocalTensor lower = inner.plane(shape);
        raw::select_equal(equal, b.part[0], a.part[0], prim::kAllOnes);
        raw::select_greater(lower, b.part[1], a.part[1], prim::kAllOnes);
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
