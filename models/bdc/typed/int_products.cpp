// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/typed/int_products.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/bdc/typed/int_products.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "models/bdc/elements/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace okksim::models::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using Values = hn::ScalableTag<std::int16_t>;
using Sums = hn::ScalableTag<std::int32_t>;

/// Sums of kLeft rows with kRight rows.
template <int kLeft, int kRight>
HWY_INLINE void tile(const std::int16_t* HWY_RESTRICT left, const std::int16_t* HWY_RESTRICT right,
                     std::int64_t depth, std::int32_t* HWY_RESTRICT sums, std::int64_t pitch) {
    const Values values;
    const Sums words;
    const auto step = static_cast<std::int64_t>(hn::Lanes(values));
    hn::Vec<Sums> sum[kLeft][kRight], rest[kLeft][kRight];
    OKKSIM_UNROLL for (int l = 0; l < kLeft; ++l) {
        OKKSIM_UNROLL for (int r = 0; r < kRight; ++r) sum[l][r] = rest[l][r] = hn::Zero(words);
    }
    for (std::int64_t k = 0; k < depth; k += step) {
        hn::Vec<Values> b[kRight];
        OKKSIM_UNROLL for (int r = 0; r < kRight; ++r) b[r] =
            hn::LoadU(values, right + r * depth + k);
        OKKSIM_UNROLL for (int l = 0; l < kLeft; ++l) {
            const auto a = hn::LoadU(values, left + l * depth + k);
            OKKSIM_UNROLL for (int r = 0; r < kRight; ++r) {
                sum[l][r] = hn::ReorderWidenMulAccumulate(words, a, b[r], sum[l][r], rest[l][r]);
            }
        }
    }
    OKKSIM_UNROLL for (int l = 0; l < kLeft; ++l) {
        OKKSIM_UNROLL for (int r = 0; r < kRight; ++r) {
            const auto whole = hn::Add(sum[l][r], rest[l][r]);  // some targets use both
            sums[l * pitch + r] = hn::GetLane(hn::SumOfLanes(words, whole));
        }
    }
}

}  // namespace

void sum_products(const ProductRows& left, const ProductRows& right, std::int32_t* sums,
                  std::int64_t pitch) {
    constexpr int kTile = 4;
    const std::int64_t depth = left.depth;
    std::int64_t l = 0;
    for (; l + kTile <= left.rows; l += kTile) {
        const std::int16_t* a = left.values + l * depth;
        std::int64_t r = 0;
        for (; r + kTile <= right.rows; r += kTile) {
            tile<kTile, kTile>(a, right.values + r * depth, depth, sums + l * pitch + r, pitch);
        }
        for (; r < right.rows; ++r) {
            tile<kTile, 1>(a, right.values + r * depth, depth, sums + l * pitch + r, pitch);
        }
    }
    for (; l < left.rows; ++l) {
        for (std::int64_t r = 0; r < right.rows; ++r) {
            tile<1, 1>(left.values + l * depth, right.values + r * depth, depth,
                       sums + l * pitch + r, pitch);
        }
    }
}

}  // namespace okksim::models::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace okksim::models {

HWY_EXPORT(sum_products);

void sum_products(const ProductRows& left, const ProductRows& right, std::int32_t* sums,
                  std::int64_t pitch) {
    HWY_DYNAMIC_DISPATCH(sum_products)(left, right, sums, pitch);
}

}  // namespace okksim::models
#endif
