// SPDX-License-Identifier: Apache-2.0
// Pieces shared by the vectorised files; compiled once per Highway target, so guarded by a toggle
// instead of #pragma once. Include after hwy/highway.h.
#if defined(OKKSIM_MODELS_BDC_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OKKSIM_MODELS_BDC_SIMD_INL_H_
#undef OKKSIM_MODELS_BDC_SIMD_INL_H_
#else
#define OKKSIM_MODELS_BDC_SIMD_INL_H_
#endif

#include "hwy/highway.h"
#include "models/bdc/elements/canonical_nan.h"

/// Fully unrolls the next loop, whose trip count is a small constant, so that arrays of vectors
/// indexed by its variable stay in registers.
#undef OKKSIM_UNROLL
#if defined(__clang__)
#define OKKSIM_UNROLL _Pragma("clang loop unroll(full)")
#else
#define OKKSIM_UNROLL _Pragma("GCC unroll 16")
#endif

HWY_BEFORE_NAMESPACE();
namespace okksim::models::bdc {
namespace HWY_NAMESPACE {

/// Lanes that are NaN become the canonical NaN.
template <class Tag, class Vector>
HWY_INLINE Vector CanonicalNan(Tag d, Vector value) {
    namespace hn = hwy::HWY_NAMESPACE;
    const hn::RebindToUnsigned<Tag> du;
    const auto nan = hn::BitCast(d, hn::Set(du, kCanonicalNanBits));
    return hn::IfThenElse(hn::IsNaN(value), nan, value);
}

}  // namespace HWY_NAMESPACE
}  // namespace okksim::models::bdc
HWY_AFTER_NAMESPACE();

#endif  // per-target toggle
