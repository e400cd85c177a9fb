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

using Words = hn::ScalableTag<std::int32_t>;
using Sum = hn::Vec<Words>;

/// Values of 16 bits on both sides.
struct Shorts {
    using Left = std::int16_t;
    using Right = std::int16_t;
    using Tag = hn::ScalableTag<std::int16_t>;

    static HWY_INLINE auto left(const Left* HWY_RESTRICT at) { return hn::LoadU(Tag(), at); }
    static HWY_INLINE auto right(const Right* HWY_RESTRICT at) { return hn::LoadU(Tag(), at); }
    template <typename Vector>
    static HWY_INLINE Sum add(Vector a, Vector b, Sum sum, Sum& rest) {
        return hn::ReorderWidenMulAccumulate(Words(), a, b, sum, rest);
    }
};

#if HWY_TARGET == HWY_AVX3_DL
/// Signed by unsigned bytes, four products to a word in one instruction.
struct Bytes {
    using Left = std::int8_t;
    using Right = std::uint8_t;
    using Tag = hn::ScalableTag<std::int8_t>;
    static constexpr bool kIsFast = true;

    static HWY_INLINE auto left(const Left* HWY_RESTRICT at) { return hn::LoadU(Tag(), at); }
    static HWY_INLINE auto right(const Right* HWY_RESTRICT at) {
        return hn::LoadU(hn::ScalableTag<std::uint8_t>(), at);
    }
    template <typename Signed, typename Unsigned>
    static HWY_INLINE Sum add(Signed a, Unsigned b, Sum sum, Sum&) {
        return Sum{_mm512_dpbusd_epi32(sum.raw, b.raw, a.raw)};
    }
};
#else
/// Signed by unsigned bytes, by way of 16 bits.
struct Bytes {
    using Left = std::int8_t;
    using Right = std::uint8_t;
    using Tag = hn::ScalableTag<std::int16_t>;
    static constexpr bool kIsFast = false;

    static HWY_INLINE auto left(const Left* HWY_RESTRICT at) {
        return hn::PromoteTo(Tag(), hn::LoadU(hn::Rebind<Left, Tag>(), at));
    }
    static HWY_INLINE auto right(const Right* HWY_RESTRICT at) {
        return hn::PromoteTo(Tag(), hn::LoadU(hn::Rebind<Right, Tag>(), at));
    }
    template <typename Vector>
    static HWY_INLINE Sum add(Vector a, Vector b, Sum sum, Sum& rest) {
        return hn::ReorderWidenMulAccumulate(Words(), a, b, sum, rest);
    }
};
#endif

/// Sums of kLeft rows with kRight rows.
template <typename Type, int kLeft, int kRight>
HWY_INLINE void tile(const typename Type::Left* HWY_RESTRICT left,
                     const typename Type::Right* HWY_RESTRICT right, std::int64_t depth,
                     std::int32_t* HWY_RESTRICT sums, std::int64_t pitch) {
    const Words words;
    const auto step = static_cast<std::int64_t>(hn::Lanes(typename Type::Tag()));
    Sum sum[kLeft][kRight], rest[kLeft][kRight];
    OKKSIM_UNROLL for (int l = 0; l < kLeft; ++l) {
        OKKSIM_UNROLL for (int r = 0; r < kRight; ++r) sum[l][r] = rest[l][r] = hn::Zero(words);
    }
    for (std::int64_t k = 0; k < depth; k += step) {
        decltype(Type::right(right)) b[kRight];
        OKKSIM_UNROLL for (int r = 0; r < kRight; ++r) b[r] = Type::right(right + r * depth + k);
        OKKSIM_UNROLL for (int l = 0; l < kLeft; ++l) {
            const auto a = Type::left(left + l * depth + k);
            OKKSIM_UNROLL for (int r = 0; r < kRight; ++r) {
                sum[l][r] = Type::add(a, b[r], sum[l][r], rest[l][r]);
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

template <typename Type, typename Left, typename Right>
void sum_rows(const Left& left, const Right& right, std::int32_t* sums, std::int64_t pitch) {
    constexpr int kTile = 4;
    const std::int64_t depth = left.depth;
    std::int64_t l = 0;
    for (; l + kTile <= left.rows; l += kTile) {
        const auto* a = left.values + l * depth;
        std::int64_t r = 0;
        for (; r + kTile <= right.rows; r += kTile) {
            tile<Type, kTile, kTile>(a, right.values + r * depth, depth, sums + l * pitch + r,
                                     pitch);
        }
        for (; r < right.rows; ++r) {
            tile<Type, kTile, 1>(a, right.values + r * depth, depth, sums + l * pitch + r, pitch);
        }
    }
    for (; l < left.rows; ++l) {
        for (std::int64_t r = 0; r < right.rows; ++r) {
            tile<Type, 1, 1>(left.values + l * depth, right.values + r * depth, depth,
                             sums + l * pitch + r, pitch);
        }
    }
}

}  // namespace

bool has_byte_products() { return Bytes::kIsFast; }

void sum_products(const ProductRows& left, const ProductRows& right, std::int32_t* sums,
                  std::int64_t pitch) {
    sum_rows<Shorts>(left, right, sums, pitch);
}

void sum_byte_products(const ByteRows<std::int8_t>& left, const ByteRows<std::uint8_t>& right,
                       std::int32_t* sums, std::int64_t pitch) {
    sum_rows<Bytes>(left, right, sums, pitch);
}

}  // namespace okksim::models::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace okksim::models {

HWY_EXPORT(has_byte_products);
HWY_EXPORT(sum_products);
HWY_EXPORT(sum_byte_products);

bool has_byte_products() { return HWY_DYNAMIC_DISPATCH(has_byte_products)(); }

void sum_products(const ProductRows& left, const ProductRows& right, std::int32_t* sums,
                  std::int64_t pitch) {
    HWY_DYNAMIC_DISPATCH(sum_products)(left, right, sums, pitch);
}

void sum_byte_products(const ByteRows<std::int8_t>& left, const ByteRows<std::uint8_t>& right,
                       std::int32_t* sums, std::int64_t pitch) {
    HWY_DYNAMIC_DISPATCH(sum_byte_products)(left, right, sums, pitch);
}

}  // namespace okksim::models
#endif
