// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/typed/byte_products.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace okksim::models {
namespace {

using Left = ByteRows<std::int8_t>;
using Right = ByteRows<std::uint8_t>;

void sum_one_by_one(const Left& left, const Right& right, std::int32_t* sums, std::int64_t pitch) {
    for (std::int64_t l = 0; l < left.rows; ++l) {
        const std::int8_t* a = left.values + l * left.depth;
        for (std::int64_t r = 0; r < right.rows; ++r) {
            const std::uint8_t* b = right.values + r * right.depth;
            std::uint32_t sum = 0;
            for (std::int64_t k = 0; k < left.depth; ++k) {
                sum += static_cast<std::uint32_t>(a[k] * b[k]);
            }
            sums[l * pitch + r] = static_cast<std::int32_t>(sum);
        }
    }
}

#ifdef __x86_64__
// Highway 1.0.3 has no operation for dot products of bytes.
#define OKKSIM_UNROLL _Pragma("GCC unroll 16")
#define OKKSIM_WITH_VNNI __attribute__((target("avx512f,avx512bw,avx512vnni")))

/// Of all words. By way of memory: the headers' own way leaves what compilers take for undefined.
OKKSIM_WITH_VNNI inline std::int32_t sum_of_words(__m512i vector) {
    constexpr int kWords = 16;
    alignas(sizeof vector) std::uint32_t words[kWords];
    _mm512_store_si512(words, vector);
    std::uint32_t sum = 0;
    OKKSIM_UNROLL for (const std::uint32_t word : words) sum += word;
    return static_cast<std::int32_t>(sum);
}

/// Sums of kLeft rows with kRight rows.
template <int kLeft, int kRight>
OKKSIM_WITH_VNNI inline void tile(const std::int8_t* left, const std::uint8_t* right,
                                  std::int64_t depth, std::int32_t* sums, std::int64_t pitch) {
    __m512i sum[kLeft][kRight];
    OKKSIM_UNROLL for (int l = 0; l < kLeft; ++l) {
        OKKSIM_UNROLL for (int r = 0; r < kRight; ++r) sum[l][r] = _mm512_setzero_si512();
    }
    for (std::int64_t k = 0; k < depth; k += static_cast<std::int64_t>(sizeof(__m512i))) {
        __m512i b[kRight];
        OKKSIM_UNROLL for (int r = 0; r < kRight; ++r) b[r] =
            _mm512_loadu_si512(right + r * depth + k);
        OKKSIM_UNROLL for (int l = 0; l < kLeft; ++l) {
            const __m512i a = _mm512_loadu_si512(left + l * depth + k);
            OKKSIM_UNROLL for (int r = 0; r < kRight; ++r) {
                sum[l][r] = _mm512_dpbusd_epi32(sum[l][r], b[r], a);
            }
        }
    }
    OKKSIM_UNROLL for (int l = 0; l < kLeft; ++l) {
        OKKSIM_UNROLL for (int r = 0; r < kRight; ++r) {
            sums[l * pitch + r] = sum_of_words(sum[l][r]);
        }
    }
}

OKKSIM_WITH_VNNI void sum_vectors(const Left& left, const Right& right, std::int32_t* sums,
                                  std::int64_t pitch) {
    constexpr int kTile = 4;
    const std::int64_t depth = left.depth;
    std::int64_t l = 0;
    for (; l + kTile <= left.rows; l += kTile) {
        const std::int8_t* a = left.values + l * depth;
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
#endif

}  // namespace

bool has_byte_products() {
#ifdef __x86_64__
    static const bool has =
        __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vnni") != 0;
    return has;
#else
    return false;
#endif
}

void sum_byte_products(const Left& left, const Right& right, std::int32_t* sums,
                       std::int64_t pitch) {
#ifdef __x86_64__
    if (has_byte_products()) return sum_vectors(left, right, sums, pitch);
#endif
    sum_one_by_one(left, right, sums, pitch);
}

}  // namespace okksim::models
