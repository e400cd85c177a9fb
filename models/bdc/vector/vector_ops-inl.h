// SPDX-License-Identifier: Apache-2.0
// Element-wise operations on vectors of 32-bit words, as rows of isa/instructions.def name them;
// included once per instruction set. `a`, `b`, `c` are the sources in the order of the operands; a
// destination that is updated comes first. "Canonical" results: a NaN is 0x7FC00000. Arithmetic
// flushes denormals on input and output; operations marked "bits" do not look at values. kSources
// must agree with the forms of the rows. kNanoseconds guides how work is shared among the host's
// threads. No include guard in the usual sense: the toggle below is the one that foreach_target.h
// needs.
#if defined(OKKSIM_VECTOR_OPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef OKKSIM_VECTOR_OPS_INL_H
#undef OKKSIM_VECTOR_OPS_INL_H
#else
#define OKKSIM_VECTOR_OPS_INL_H
#endif

#include <hwy/highway.h>

#include "models/bdc/vector/vector_params.h"

HWY_BEFORE_NAMESPACE();
namespace okksim::models::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::ScalableTag<std::uint32_t>;
using Ints = hn::ScalableTag<std::int32_t>;
using Floats = hn::ScalableTag<float>;
using Word = hn::Vec<Words>;
using Int = hn::Vec<Ints>;
using Float = hn::Vec<Floats>;

constexpr std::uint32_t kSignBit = 0x80000000u;
constexpr std::uint32_t kExponentBits = 0x7F800000u;
constexpr std::uint32_t kCanonicalNan = 0x7FC00000u;

HWY_INLINE Float as_float(Word v) { return hn::BitCast(Floats(), v); }
HWY_INLINE Int as_int(Word v) { return hn::BitCast(Ints(), v); }
HWY_INLINE Word bits(Float v) { return hn::BitCast(Words(), v); }
HWY_INLINE Word bits(Int v) { return hn::BitCast(Words(), v); }
HWY_INLINE Float constant(float value) { return hn::Set(Floats(), value); }

/// Arithmetic results: every NaN becomes the same one.
HWY_INLINE Word canonical(Float v) {
    const Word nan = hn::Set(Words(), kCanonicalNan);
    return hn::IfThenElse(hn::RebindMask(Words(), hn::IsNaN(v)), nan, bits(v));
}

HWY_INLINE Word select(hn::Mask<Floats> mask, Word value) {
    return hn::IfThenElseZero(hn::RebindMask(Words(), mask), value);
}

namespace vector_ops {

/// The operation with its sources the other way round.
template <typename Op>
struct Swapped : Op {
    using Op::Op;
    HWY_INLINE Word operator()(Word a, Word b) const { return Op::operator()(b, a); }
};

/// a, bits
struct Copy {
    explicit Copy(const VectorParams&) {}
    static constexpr int kSources = 1;
    HWY_INLINE Word operator()(Word a) const { return a; }
};

/// the word that the command gives, bits
struct Fill {
    explicit Fill(const VectorParams& params) : value(hn::Set(Words(), params.selected)) {}
    static constexpr int kSources = 0;
    HWY_INLINE Word operator()() const { return value; }
    Word value;
};

/// a + b, canonical
struct Add {
    explicit Add(const VectorParams&) {}
    static constexpr int kSources = 2;
    HWY_INLINE Word operator()(Word a, Word b) const {
        return canonical(hn::Add(as_float(a), as_float(b)));
    }
};

/// a - b, canonical
struct Subtract {
    explicit Subtract(const VectorParams&) {}
    static constexpr int kSources = 2;
    HWY_INLINE Word operator()(Word a, Word b) const {
        return canonical(hn::Sub(as_float(a), as_float(b)));
    }
};

/// a * b, canonical
struct Multiply {
    explicit Multiply(const VectorParams&) {}
    static constexpr int kSources = 2;
    HWY_INLINE Word operator()(Word a, Word b) const {
        return canonical(hn::Mul(as_float(a), as_float(b)));
    }
};

/// a + b * c, product rounded, canonical
struct MultiplyAdd {
    explicit MultiplyAdd(const VectorParams&) {}
    static constexpr int kSources = 3;
    HWY_INLINE Word operator()(Word a, Word b, Word c) const {
        return canonical(hn::Add(as_float(a), hn::Mul(as_float(b), as_float(c))));
    }
};

/// a * b + c, product rounded, canonical
struct ScaleBias {
    explicit ScaleBias(const VectorParams&) {}
    static constexpr int kSources = 3;
    HWY_INLINE Word operator()(Word a, Word b, Word c) const {
        return canonical(hn::Add(hn::Mul(as_float(a), as_float(b)), as_float(c)));
    }
};

/// a * b + 0, canonical
struct Scale {
    explicit Scale(const VectorParams&) {}
    static constexpr int kSources = 2;
    HWY_INLINE Word operator()(Word a, Word b) const {
        // Adding +0 turns a product of -0 into +0.
        return canonical(hn::Add(hn::Mul(as_float(a), as_float(b)), constant(0.0f)));
    }
};

/// 0 - a, canonical
struct Negate {
    explicit Negate(const VectorParams&) {}
    static constexpr int kSources = 1;
    HWY_INLINE Word operator()(Word a) const {
        return canonical(hn::Sub(constant(0.0f), as_float(a)));
    }
};

/// a > 0 ? a : +0
struct Relu {
    explicit Relu(const VectorParams&) {}
    static constexpr int kSources = 1;
    HWY_INLINE Word operator()(Word a) const {
        return select(hn::Gt(as_float(a), constant(0.0f)), a);
    }
};

/// a > b ? a : b, denormal results become signed zero
struct Maximum {
    explicit Maximum(const VectorParams&) {}
    static constexpr int kSources = 2;
    HWY_INLINE Word operator()(Word a, Word b) const {
        const Words d;
        const auto greater = hn::RebindMask(d, hn::Gt(as_float(a), as_float(b)));
        const Word larger = hn::IfThenElse(greater, a, b);
        const auto tiny = hn::Eq(hn::And(larger, hn::Set(d, kExponentBits)), hn::Zero(d));
        return hn::IfThenElse(tiny, hn::And(larger, hn::Set(d, kSignBit)), larger);
    }
};

/// a <= b ? a : b
struct Minimum {
    explicit Minimum(const VectorParams&) {}
    static constexpr int kSources = 2;
    HWY_INLINE Word operator()(Word a, Word b) const {
        const auto smaller = hn::RebindMask(Words(), hn::Le(as_float(a), as_float(b)));
        return hn::IfThenElse(smaller, a, b);
    }
};

/// a > b ? the word that the command gives : 0
struct GreaterSelect {
    explicit GreaterSelect(const VectorParams& params) : value(hn::Set(Words(), params.selected)) {}
    static constexpr int kSources = 2;
    HWY_INLINE Word operator()(Word a, Word b) const {
        return select(hn::Gt(as_float(a), as_float(b)), value);
    }
    Word value;
};

/// a and b the same bits ? the word that the command gives : 0
struct EqualSelect {
    explicit EqualSelect(const VectorParams& params) : value(hn::Set(Words(), params.selected)) {}
    static constexpr int kSources = 2;
    HWY_INLINE Word operator()(Word a, Word b) const {
        return hn::IfThenElseZero(hn::Eq(a, b), value);
    }
    Word value;
};

/// bits
struct And {
    explicit And(const VectorParams&) {}
    static constexpr int kSources = 2;
    HWY_INLINE Word operator()(Word a, Word b) const { return hn::And(a, b); }
};

/// bits
struct Or {
    explicit Or(const VectorParams&) {}
    static constexpr int kSources = 2;
    HWY_INLINE Word operator()(Word a, Word b) const { return hn::Or(a, b); }
};

/// bits
struct Xor {
    explicit Xor(const VectorParams&) {}
    static constexpr int kSources = 2;
    HWY_INLINE Word operator()(Word a, Word b) const { return hn::Xor(a, b); }
};

/// Amounts to the left and to the right of a shift, both in 0..32; at most one is not zero.
struct ShiftAmounts {
    explicit HWY_INLINE ShiftAmounts(Word amount) {
        const Ints d;
        const Int limit = hn::Set(d, 32);
        const Int clamped = hn::Min(hn::Max(as_int(amount), hn::Neg(limit)), limit);
        left = hn::Max(clamped, hn::Zero(d));
        right = hn::Max(hn::Neg(clamped), hn::Zero(d));
    }
    Int left;
    Int right;
};

HWY_INLINE Word shift_left(Word v, Int amount) {
    const Ints d;
    const auto in_range = hn::RebindMask(Words(), hn::Lt(amount, hn::Set(d, 32)));
    const Int safe = hn::Min(amount, hn::Set(d, 31));
    return hn::IfThenElseZero(in_range, hn::Shl(v, bits(safe)));
}

/// a shifted by b: left when positive, right with sign fill when negative
struct ArithmeticShift {
    explicit ArithmeticShift(const VectorParams&) {}
    static constexpr int kSources = 2;
    HWY_INLINE Word operator()(Word a, Word b) const {
        const ShiftAmounts by(b);
        // Shifting right by 31 already leaves nothing but copies of the sign.
        const Int right = hn::Min(by.right, hn::Set(Ints(), 31));
        const Word shifted = bits(hn::Shr(as_int(a), right));
        const auto to_left = hn::RebindMask(Words(), hn::Gt(by.left, hn::Zero(Ints())));
        return hn::IfThenElse(to_left, shift_left(a, by.left), shifted);
    }
};

/// a shifted by b: left when positive, right with zero fill when negative
struct LogicalShift {
    explicit LogicalShift(const VectorParams&) {}
    static constexpr int kSources = 2;
    HWY_INLINE Word operator()(Word a, Word b) const {
        const ShiftAmounts by(b);
        const Ints d;
        const auto in_range = hn::RebindMask(Words(), hn::Lt(by.right, hn::Set(d, 32)));
        const Int right = hn::Min(by.right, hn::Set(d, 31));
        const Word shifted = hn::IfThenElseZero(in_range, hn::Shr(a, bits(right)));
        const auto to_left = hn::RebindMask(Words(), hn::Gt(by.left, hn::Zero(d)));
        return hn::IfThenElse(to_left, shift_left(a, by.left), shifted);
    }
};

/// a truncated toward zero, saturated; a NaN saturates by its sign
struct ToInt32 {
    explicit ToInt32(const VectorParams&) {}
    static constexpr int kSources = 1;
    HWY_INLINE Word operator()(Word a) const {
        constexpr float kLimit = 2147483648.0f;
        const Float value = as_float(a);
        // False for NaN, which therefore saturates by its sign like a number beyond the limit.
        const auto below = hn::Lt(value, constant(kLimit));
        const Float safe = hn::Max(hn::IfThenElseZero(below, value), constant(-kLimit));
        const Word saturated = hn::Add(hn::Set(Words(), 0x7FFFFFFFu), hn::ShiftRight<31>(a));
        return hn::IfThenElse(hn::RebindMask(Words(), below), bits(hn::ConvertTo(Ints(), safe)),
                              saturated);
    }
};

/// the low 8 bits of a as int8
struct Int8ToFloat {
    explicit Int8ToFloat(const VectorParams&) {}
    static constexpr int kSources = 1;
    HWY_INLINE Word operator()(Word a) const {
        const Int low = hn::ShiftRight<24>(as_int(hn::ShiftLeft<24>(a)));
        return bits(hn::ConvertTo(Floats(), low));
    }
};

}  // namespace vector_ops
}  // namespace okksim::models::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
