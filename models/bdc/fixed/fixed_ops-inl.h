// SPDX-License-Identifier: Apache-2.0
// Integer operations on elements of packed fixed-point tensors, as rows of isa/instructions.def
// name them; included once per instruction set. `a`, `b`, `c` are the sources in the order of the
// operands, widened to 32 bits; a destination that is updated comes first. kSources must agree with
// the forms of the rows. The toggle is the one that foreach_target.h needs.
#if defined(OKKSIM_FIXED_OPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef OKKSIM_FIXED_OPS_INL_H
#undef OKKSIM_FIXED_OPS_INL_H
#else
#define OKKSIM_FIXED_OPS_INL_H
#endif

#include <hwy/highway.h>

#include "models/bdc/fixed/fixed_arguments.h"

HWY_BEFORE_NAMESPACE();
namespace okksim::models::HWY_NAMESPACE {
namespace fixed_ops {

namespace hn = hwy::HWY_NAMESPACE;
using Words = hn::ScalableTag<std::uint32_t>;
using Ints = hn::ScalableTag<std::int32_t>;
using Word = hn::Vec<Words>;
using Int = hn::Vec<Ints>;

HWY_INLINE Int as_int(Word v) { return hn::BitCast(Ints(), v); }
HWY_INLINE Word bits(Int v) { return hn::BitCast(Words(), v); }

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

/// `right` is arithmetic, which equals the logical shift for unsigned elements. The caller keeps
/// the low 16 bits, so amounts beyond 31 need no special case.
HWY_INLINE Int shifted(Int a, Int amount) {
    const Ints d;
    const Int limit = hn::Set(d, 31);
    const Int left = hn::Min(hn::Max(amount, hn::Zero(d)), limit);
    const Int right = hn::Min(hn::Max(hn::Neg(amount), hn::Zero(d)), limit);
    const Int to_left = as_int(hn::Shl(bits(a), bits(left)));
    return hn::IfThenElse(hn::Gt(left, hn::Zero(d)), to_left, hn::Shr(a, right));
}

/// The operation with its sources exchanged.
template <typename Op>
struct Swapped {
    static constexpr int kSources = 2;
    static HWY_INLINE Int apply(const FixedRowArguments& k, Int a, Int b) {
        return Op::apply(k, b, a);
    }
};

// These operations round at the right shift and saturate to the destination's type.

struct Add {
    static constexpr int kSources = 2;
    static HWY_INLINE Int apply(const FixedRowArguments& k, Int a, Int b) {
        return saturated(hn::Add(a, b), k);
    }
};

struct Subtract {
    static constexpr int kSources = 2;
    static HWY_INLINE Int apply(const FixedRowArguments& k, Int a, Int b) {
        return saturated(hn::Sub(a, b), k);
    }
};

struct Multiply {
    static constexpr int kSources = 2;
    static HWY_INLINE Int apply(const FixedRowArguments& k, Int a, Int b) {
        return saturated(hn::Mul(a, b), k);
    }
};

struct Maximum {
    static constexpr int kSources = 2;
    static HWY_INLINE Int apply(const FixedRowArguments& k, Int a, Int b) {
        return saturated(hn::Max(a, b), k);
    }
};

struct Minimum {
    static constexpr int kSources = 2;
    static HWY_INLINE Int apply(const FixedRowArguments& k, Int a, Int b) {
        return saturated(hn::Min(a, b), k);
    }
};

/// wrap32((a << lshift) + b * c)
struct MultiplyAdd {
    static constexpr int kSources = 3;
    static HWY_INLINE Int apply(const FixedRowArguments& k, Int a, Int b, Int c) {
        return saturated(hn::Add(hn::ShiftLeftSame(a, k.lshift), hn::Mul(b, c)), k);
    }
};

/// (a * 256 + b) * c
struct MultiplyHalves {
    static constexpr int kSources = 3;
    static HWY_INLINE Int apply(const FixedRowArguments& k, Int a, Int b, Int c) {
        return saturated(hn::Mul(hn::Add(hn::ShiftLeft<8>(a), b), c), k);
    }
};

// These operations neither round nor saturate.

/// Arithmetic shift of 16 bits: by b to the left or by -b to the right. Amounts of 16 and more
/// shift all bits out.
struct ArithmeticShift {
    static constexpr int kSources = 2;
    static HWY_INLINE Int apply(const FixedRowArguments&, Int a, Int b) { return shifted(a, b); }
};

/// Logical shift of 16 bits: by b to the left or by -b to the right.
struct LogicalShift {
    static constexpr int kSources = 2;
    static HWY_INLINE Int apply(const FixedRowArguments&, Int a, Int b) {
        return shifted(hn::And(a, hn::Set(Ints(), 0xFFFF)), b);
    }
};

/// a / 256
struct HighByte {
    static constexpr int kSources = 1;
    static HWY_INLINE Int apply(const FixedRowArguments&, Int a) { return hn::ShiftRight<8>(a); }
};

}  // namespace fixed_ops
}  // namespace okksim::models::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
