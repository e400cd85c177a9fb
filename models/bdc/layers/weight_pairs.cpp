// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/bdc/layers/weight_pairs.cpp"
#include "hwy/foreach_target.h"
// The order matters: foreach_target.h re-includes this file once per target.
#include <algorithm>
#include <cstring>

#include "hwy/highway.h"
#include "models/bdc/elements/simd-inl.h"
#include "models/bdc/layers/weight_pairs.h"

HWY_BEFORE_NAMESPACE();
namespace okksim::models::bdc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
// A pair of floats is one element.
using PairTag = hn::CappedTag<double, 8>;
using PairVector = hn::Vec<PairTag>;
constexpr int kPairs = static_cast<int>(hn::MaxLanes(PairTag()));

HWY_INLINE PairVector LoadPairs(const float* from) {
    return hn::LoadU(PairTag(), reinterpret_cast<const double*>(from));
}

HWY_INLINE void CopyPair(const float* from, float* to) { std::memcpy(to, from, 2 * sizeof(float)); }

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE void TransposeBlock(const float* from, std::int64_t, float* to, std::int64_t) {
    CopyPair(from, to);
}
#else
// Rows [0, kRows) of blocks of 128 bits become columns.
template <int kRows>
HWY_INLINE void TransposeBlocks(PairVector (&rows)[kRows]) {
    const PairTag d;
    if constexpr (kRows == 2) {
        const PairVector low = hn::ConcatLowerLower(d, rows[1], rows[0]);
        rows[1] = hn::ConcatUpperUpper(d, rows[1], rows[0]);
        rows[0] = low;
    } else if constexpr (kRows == 4) {
        const PairVector even_low = hn::ConcatLowerLower(d, rows[2], rows[0]);
        const PairVector odd_low = hn::ConcatLowerLower(d, rows[3], rows[1]);
        const PairVector even_high = hn::ConcatUpperUpper(d, rows[2], rows[0]);
        const PairVector odd_high = hn::ConcatUpperUpper(d, rows[3], rows[1]);
        rows[0] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd_low), even_low);
        rows[1] = hn::OddEvenBlocks(odd_low, hn::SwapAdjacentBlocks(even_low));
        rows[2] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd_high), even_high);
        rows[3] = hn::OddEvenBlocks(odd_high, hn::SwapAdjacentBlocks(even_high));
    }
}

// Transposes kPairs taps of kPairs pairs.
HWY_INLINE void TransposeBlock(const float* from, std::int64_t pair_step, float* to,
                               std::int64_t tap_step) {
    constexpr int kBlocks = kPairs / 2;
    const PairTag d;
    PairVector even[kBlocks], odd[kBlocks];  // taps
    OKKSIM_UNROLL
    for (int b = 0; b < kBlocks; ++b) {
        const PairVector first = LoadPairs(from + 2 * b * pair_step);
        const PairVector second = LoadPairs(from + (2 * b + 1) * pair_step);
        even[b] = hn::InterleaveLower(d, first, second);
        odd[b] = hn::InterleaveUpper(d, first, second);
    }
    TransposeBlocks(even);
    TransposeBlocks(odd);
    OKKSIM_UNROLL
    for (int b = 0; b < kBlocks; ++b) {
        hn::StoreU(even[b], d, reinterpret_cast<double*>(to + 2 * b * tap_step));
        hn::StoreU(odd[b], d, reinterpret_cast<double*>(to + (2 * b + 1) * tap_step));
    }
}
#endif

// Prefetches the next channel's weights and rows. The lanes' memories are far apart, so a hardware
// prefetcher cannot predict their start.
HWY_INLINE void FetchSoon(const WeightPairs& weights, std::int64_t pair, float* to,
                          std::int64_t tap_step) {
    constexpr std::int64_t kLine = 16;
    // Skips the data of other channels between the pairs.
    const float* from = weights.next + pair * weights.pair_step;
    for (int p = 0; p < kPairs; ++p, from += weights.pair_step) {
        for (std::int64_t i = 0; i < 2 * weights.taps; i += kLine) __builtin_prefetch(from + i);
    }
    for (std::int64_t tap = 0; tap < weights.taps; ++tap) {
        __builtin_prefetch(to + weights.next_to + tap * tap_step, 1);
    }
}

void CopyByTaps(const WeightPairs& weights, float* HWY_RESTRICT to, std::int64_t tap_step) {
    const std::int64_t step = weights.pair_step;
    const std::int64_t whole_taps = weights.taps / kPairs * kPairs;
    std::int64_t pair = 0;
    for (; pair + kPairs <= weights.pairs; pair += kPairs) {
        const float* const from = weights.from + pair * step;
        float* const out = to + 2 * pair;
        FetchSoon(weights, pair, out, tap_step);
        for (std::int64_t tap = 0; tap < whole_taps; tap += kPairs) {
            TransposeBlock(from + 2 * tap, step, out + tap * tap_step, tap_step);
        }
        for (std::int64_t tap = whole_taps; tap < weights.taps; ++tap) {
            for (int p = 0; p < kPairs; ++p) {
                CopyPair(from + p * step + 2 * tap, out + tap * tap_step + 2 * p);
            }
        }
    }
    for (; pair < weights.pairs; ++pair) {
        for (std::int64_t tap = 0; tap < weights.taps; ++tap) {
            CopyPair(weights.from + pair * step + 2 * tap, to + tap * tap_step + 2 * pair);
        }
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace okksim::models::bdc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace okksim::models::bdc {

HWY_EXPORT(CopyByTaps);

void copy_by_taps(const WeightPairs& weights, float* to, std::int64_t tap_step) {
    HWY_DYNAMIC_DISPATCH(CopyByTaps)(weights, to, tap_step);
}

}  // namespace okksim::models::bdc
#endif  // HWY_ONCE
