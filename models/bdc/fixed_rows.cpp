// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/fixed_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/bdc/fixed_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace okksim::models::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Words = hn::ScalableTag<std::uint32_t>;
using Ints = hn::ScalableTag<std::int32_t>;
using Word = hn::Vec<Words>;
using Int = hn::Vec<Ints>;

HWY_INLINE Int as_int(Word v) { return hn::BitCast(Ints(), v); }
HWY_INLINE Word bits(Int v) { return hn::BitCast(Words(), v); }

HWY_INLINE Int element(const FixedSource& source, std::size_t i) {
    const Words d;
    const Word word = hn::LoadU(d, source.data + i * source.step);
    const Word sign = hn::Set(d, source.field.sign);
    const Word low =
        hn::And(hn::ShiftRightSame(word, source.field.shift), hn::Set(d, source.field.mask));
    return as_int(hn::Sub(hn::Xor(low, sign), sign));
}

/// floor((v + 2^(shift-1)) / 2^shift) without the sum overflowing.
HWY_INLINE Int rounding_shift(Int v, int shift) {
    if (shift == 0) return v;
    const Int carry = hn::And(hn::ShiftRightSame(v, shift - 1), hn::Set(Ints(), 1));
    return hn::Add(hn::ShiftRightSame(v, shift), carry);
}

HWY_INLINE Int saturated(Int v, const FixedRowArguments& k) {
    return hn::Min(hn::Max(rounding_shift(v, k.rshift), hn::Set(Ints(), k.low)),
                   hn::Set(Ints(), k.high));
}

/// `right` is arithmetic, which for elements without sign is the logical shift. The caller keeps
/// the low 16 bits, so amounts beyond 31 need no other treatment.
HWY_INLINE Int shifted(Int a, Int amount) {
    const Ints d;
    const Int limit = hn::Set(d, 31);
    const Int left = hn::Min(hn::Max(amount, hn::Zero(d)), limit);
    const Int right = hn::Min(hn::Max(hn::Neg(amount), hn::Zero(d)), limit);
    const Int to_left = as_int(hn::Shl(bits(a), bits(left)));
    return hn::IfThenElse(hn::Gt(left, hn::Zero(d)), to_left, hn::Shr(a, right));
}

template <FixedKernel kKernel>
HWY_INLINE Int compute(const FixedRowArguments& k, std::size_t i) {
    const Int a = element(k.sources[0], i);
    if constexpr (kKernel == FixedKernel::kHighByte) {
        return hn::ShiftRight<8>(a);
    } else {
        const Int b = element(k.sources[1], i);
        if constexpr (kKernel == FixedKernel::kAdd) {
            return saturated(hn::Add(a, b), k);
        } else if constexpr (kKernel == FixedKernel::kSubtract) {
            return saturated(hn::Sub(a, b), k);
        } else if constexpr (kKernel == FixedKernel::kMultiply) {
            return saturated(hn::Mul(a, b), k);
        } else if constexpr (kKernel == FixedKernel::kMaximum) {
            return saturated(hn::Max(a, b), k);
        } else if constexpr (kKernel == FixedKernel::kMinimum) {
            return saturated(hn::Min(a, b), k);
        } else if constexpr (kKernel == FixedKernel::kShift) {
            return shifted(a, b);
        } else if constexpr (kKernel == FixedKernel::kMultiplyAdd) {
            const Int c = element(k.sources[2], i);
            return saturated(hn::Add(hn::ShiftLeftSame(a, k.lshift), hn::Mul(b, c)), k);
        } else {
            static_assert(kKernel == FixedKernel::kMultiplyHalves);
            const Int c = element(k.sources[2], i);
            return saturated(hn::Mul(hn::Add(hn::ShiftLeft<8>(a), b), c), k);
        }
    }
}

template <FixedKernel kKernel>
void row(const FixedRowArguments& arguments, std::size_t count) {
    const FixedRowArguments k = arguments;  // a copy that the stores below cannot alias
    const Words d;
    const Word mask = hn::Set(d, k.result_field.mask);
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        const Word value = hn::And(bits(compute<kKernel>(k, i)), mask);
        const Word placed = hn::ShiftLeftSame(value, k.result_field.shift);
        hn::StoreU(hn::Or(hn::LoadU(d, k.result + i), placed), d, k.result + i);
    }
}

}  // namespace

FixedRow choose_fixed_row(FixedKernel kernel) {
    switch (kernel) {
        case FixedKernel::kAdd: return row<FixedKernel::kAdd>;
        case FixedKernel::kSubtract: return row<FixedKernel::kSubtract>;
        case FixedKernel::kMultiply: return row<FixedKernel::kMultiply>;
        case FixedKernel::kMaximum: return row<FixedKernel::kMaximum>;
        case FixedKernel::kMinimum: return row<FixedKernel::kMinimum>;
        case FixedKernel::kMultiplyAdd: return row<FixedKernel::kMultiplyAdd>;
        case FixedKernel::kShift: return row<FixedKernel::kShift>;
        case FixedKernel::kMultiplyHalves: return row<FixedKernel::kMultiplyHalves>;
        case FixedKernel::kHighByte: return row<FixedKernel::kHighByte>;
    }
    return nullptr;
}

}  // namespace okksim::models::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace okksim::models {

HWY_EXPORT(choose_fixed_row);

FixedRow fixed_row(FixedKernel kernel) { return HWY_DYNAMIC_DISPATCH(choose_fixed_row)(kernel); }

}  // namespace okksim::models
#endif
