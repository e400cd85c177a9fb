// SPDX-License-Identifier: Apache-2.0
// Approximations of the BDC's special-function unit, included once per instruction set (see
// vector_ops-inl.h). The steps and their rounding are part of the definition.
#if defined(OKKSIM_SPECIAL_FUNCTIONS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef OKKSIM_SPECIAL_FUNCTIONS_INL_H
#undef OKKSIM_SPECIAL_FUNCTIONS_INL_H
#else
#define OKKSIM_SPECIAL_FUNCTIONS_INL_H
#endif

#include <hwy/highway.h>

#include "models/bdc/vector/special_tables.h"
#include "models/bdc/vector/vector_ops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace okksim::models::HWY_NAMESPACE {
namespace vector_ops {

/// Magic first guess and three Newton steps, for x without sign.
HWY_INLINE Float root_steps(Float x) {
    constexpr std::uint32_t kFirstGuess = 0x5F3759DFu;
    Float y = as_float(hn::Sub(hn::Set(Words(), kFirstGuess), hn::ShiftRight<1>(bits(x))));
    const Float half = hn::Mul(constant(0.5f), x);
    for (int step = 0; step < 3; ++step) {
        y = hn::Mul(y, hn::Sub(constant(1.5f), hn::Mul(hn::Mul(half, y), y)));
    }
    return y;
}

/// sign(x) * r * r with r = rsqrt(|x|): gives +-inf for +-0 and, by the same steps, for +-inf.
HWY_INLINE Float reciprocal_steps(Word x) {
    const Word sign = hn::Set(Words(), kSignBit);
    const Float root = root_steps(as_float(hn::AndNot(sign, x)));
    return as_float(hn::Or(bits(hn::Mul(root, root)), hn::And(x, sign)));
}

/// sign(a) * rsqrt(|a|)^2, canonical
struct Reciprocal {
    explicit Reciprocal(const VectorParams&) {}
    static constexpr int kSources = 1;
    static constexpr double kNanoseconds = 0.8;
    HWY_INLINE Word operator()(Word a) const { return canonical(reciprocal_steps(a)); }
};

/// a * reciprocal(b), canonical
struct Divide {
    explicit Divide(const VectorParams&) {}
    static constexpr int kSources = 2;
    static constexpr double kNanoseconds = 0.8;
    HWY_INLINE Word operator()(Word a, Word b) const {
        return canonical(hn::Mul(as_float(a), reciprocal_steps(b)));
    }
};

/// Replaces results of the steps for zero, infinity and negative numbers by the exact limits. These
/// are `at_zero` and `at_infinity`, the former with the sign of x, and NaN below zero.
HWY_INLINE Word with_limits(Word x, Float steps, std::uint32_t at_zero, std::uint32_t at_infinity) {
    const Words d;
    const Float value = as_float(x);
    const auto zero = hn::RebindMask(d, hn::Eq(value, constant(0.0f)));
    const auto negative = hn::RebindMask(d, hn::Lt(value, constant(0.0f)));
    const auto infinite = hn::Eq(x, hn::Set(d, kExponentBits));
    const Word signed_limit = hn::Or(hn::And(x, hn::Set(d, kSignBit)), hn::Set(d, at_zero));
    Word result = canonical(steps);
    result = hn::IfThenElse(infinite, hn::Set(d, at_infinity), result);
    result = hn::IfThenElse(negative, hn::Set(d, kCanonicalNan), result);
    return hn::IfThenElse(zero, signed_limit, result);
}

/// rsqrt(a)
struct ReciprocalRoot {
    explicit ReciprocalRoot(const VectorParams&) {}
    static constexpr int kSources = 1;
    static constexpr double kNanoseconds = 0.8;
    HWY_INLINE Word operator()(Word a) const {
        return with_limits(a, root_steps(as_float(a)), kExponentBits, 0);
    }
};

/// reciprocal(rsqrt(a))
struct Root {
    explicit Root(const VectorParams&) {}
    static constexpr int kSources = 1;
    static constexpr double kNanoseconds = 0.8;
    HWY_INLINE Word operator()(Word a) const {
        return with_limits(a, reciprocal_steps(bits(root_steps(as_float(a)))), 0, kExponentBits);
    }
};

/// e^(low 8 bits of a as int8) for -103..88, otherwise 0
struct ExpTable {
    explicit ExpTable(const VectorParams&) {}
    static constexpr int kSources = 1;
    static constexpr double kNanoseconds = 0.8;
    HWY_INLINE Word operator()(Word a) const {
        const Word index = hn::And(a, hn::Set(Words(), 0xFFu));
        return hn::GatherIndex(Words(), kExpTable.data(), as_int(index));
    }
};

/// Horner's rule over the coefficients first..terms, kBlock vectors at a time because each step
/// depends on the step before.
template <int kFirst>
struct SeriesSteps {
    static constexpr int kSources = 1;
    static constexpr int kBlock = 8;
    static constexpr double kNanosecondsPerTerm = 0.1;
    explicit SeriesSteps(const VectorParams& params) : terms(params.terms) {}

    HWY_INLINE Float coefficient(int index) const {
        return as_float(hn::Set(Words(), kInverseFactorials[static_cast<std::size_t>(index)]));
    }
    HWY_INLINE Word operator()(Word a) const {
        const Float x = as_float(a);
        Float sum = coefficient(terms);
        for (int j = terms - 1; j >= kFirst; --j) sum = hn::Add(hn::Mul(sum, x), coefficient(j));
        return finish(sum, x);
    }
    HWY_INLINE void block(const std::uint32_t* source, std::uint32_t* destination) const {
        const Words d;
        const std::size_t lanes = hn::Lanes(d);
        const auto x = [&](std::size_t k)
                           HWY_ATTR { return as_float(hn::LoadU(d, source + k * lanes)); };
        Float s0 = coefficient(terms), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0,
              s7 = s0;
        for (int j = terms - 1; j >= kFirst; --j) {
            const Float c = coefficient(j);
            s0 = hn::Add(hn::Mul(s0, x(0)), c);
            s1 = hn::Add(hn::Mul(s1, x(1)), c);
            s2 = hn::Add(hn::Mul(s2, x(2)), c);
            s3 = hn::Add(hn::Mul(s3, x(3)), c);
            s4 = hn::Add(hn::Mul(s4, x(4)), c);
            s5 = hn::Add(hn::Mul(s5, x(5)), c);
            s6 = hn::Add(hn::Mul(s6, x(6)), c);
            s7 = hn::Add(hn::Mul(s7, x(7)), c);
        }
        const Word results[kBlock] = {finish(s0, x(0)), finish(s1, x(1)), finish(s2, x(2)),
                                      finish(s3, x(3)), finish(s4, x(4)), finish(s5, x(5)),
                                      finish(s6, x(6)), finish(s7, x(7))};
        for (std::size_t k = 0; k < kBlock; ++k) {
            hn::StoreU(results[k], d, destination + k * lanes);
        }
    }
    HWY_INLINE Word finish(Float sum, Float x) const {
        if constexpr (kFirst == 0) return canonical(sum);
        return canonical(hn::Mul(x, sum));
    }
    int terms;
};

/// Horner over the coefficients 0..terms.
using Series = SeriesSteps<0>;
/// a * Horner over the coefficients 1..terms.
using SeriesTail = SeriesSteps<1>;

}  // namespace vector_ops
}  // namespace okksim::models::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
