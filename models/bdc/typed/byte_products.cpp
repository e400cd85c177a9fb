// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/typed/byte_products.h"

#include "isa/layout.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace okksim::models {
namespace {

/// The sum of four products.
std::uint32_t dot(ByteQuad unsigned_bytes, ByteQuad signed_bytes) {
    constexpr int kBits = 8;
    std::uint32_t sum = 0;
    for (int shift = 0; shift < isa::kWordBits; shift += kBits) {
        const auto u = static_cast<std::uint8_t>(unsigned_bytes >> shift);
        const auto s = static_cast<std::int8_t>(signed_bytes >> shift);
        sum += static_cast<std::uint32_t>(u * s);
    }
    return sum;
}

void sum_one_by_one(const ByteRows& rows, const ByteColumns& columns, std::int32_t* sums) {
    for (std::int64_t r = 0; r < rows.parts * kByteRows; ++r) {
        const ByteQuad* row = rows.quads + r / kByteRows * rows.depth * kByteRows + r % kByteRows;
        for (std::int64_t c = 0; c < columns.count; ++c) {
            std::uint32_t sum = 0;
            for (std::int64_t k = 0; k < rows.depth; ++k) {
                sum += dot(columns.quads[k * columns.pitch + c], row[k * kByteRows]);
            }
            sums[r * kByteTileColumns + c] = static_cast<std::int32_t>(sum);
        }
    }
}

void sum_rows_one_by_one(const ByteRows& rows, std::int32_t* sums) {
    constexpr ByteQuad kOnes = 0x01010101;
    for (std::int64_t r = 0; r < rows.parts * kByteRows; ++r) {
        const ByteQuad* row = rows.quads + r / kByteRows * rows.depth * kByteRows + r % kByteRows;
        std::uint32_t sum = 0;
        for (std::int64_t k = 0; k < rows.depth; ++k) sum += dot(kOnes, row[k * kByteRows]);
        sums[r] = static_cast<std::int32_t>(sum);
    }
}

#ifdef __x86_64__
// Highway 1.0.3 has no operation for dot products of bytes.
#define OKKSIM_UNROLL _Pragma("GCC unroll 16")
#define OKKSIM_WITH_VNNI __attribute__((target("avx512f,avx512bw,avx512vnni")))

/// Sums of a part of rows with kVectors vectors of columns.
template <int kVectors>
OKKSIM_WITH_VNNI inline void tile(const ByteQuad* rows, std::int64_t depth,
                                  const ByteColumns& columns, std::int32_t* sums) {
    __m512i sum[kByteRows][kVectors];
    OKKSIM_UNROLL for (int r = 0; r < kByteRows; ++r) {
        OKKSIM_UNROLL for (int v = 0; v < kVectors; ++v) sum[r][v] = _mm512_setzero_si512();
    }
    const ByteQuad* column = columns.quads;
    for (std::int64_t k = 0; k < depth; ++k, column += columns.pitch, rows += kByteRows) {
        __m512i u[kVectors];
        OKKSIM_UNROLL for (int v = 0; v < kVectors; ++v) {
            u[v] = _mm512_loadu_si512(column + v * kByteColumns);
        }
        OKKSIM_UNROLL for (int r = 0; r < kByteRows; ++r) {
            const __m512i s = _mm512_set1_epi32(static_cast<int>(rows[r]));
            OKKSIM_UNROLL for (int v = 0; v < kVectors; ++v) {
                sum[r][v] = _mm512_dpbusd_epi32(sum[r][v], u[v], s);
            }
        }
    }
    OKKSIM_UNROLL for (int r = 0; r < kByteRows; ++r) {
        OKKSIM_UNROLL for (int v = 0; v < kVectors; ++v) {
            _mm512_storeu_si512(sums + r * kByteTileColumns + v * kByteColumns, sum[r][v]);
        }
    }
}

template <int kVectors>
OKKSIM_WITH_VNNI void sum_parts(const ByteRows& rows, const ByteColumns& columns,
                                std::int32_t* sums) {
    for (std::int64_t part = 0; part < rows.parts; ++part) {
        tile<kVectors>(rows.quads + part * rows.depth * kByteRows, rows.depth, columns,
                       sums + part * kByteRows * kByteTileColumns);
    }
}

void sum_vectors(const ByteRows& rows, const ByteColumns& columns, std::int32_t* sums) {
    switch (isa::div_up(columns.count, kByteColumns)) {
        case 1: return sum_parts<1>(rows, columns, sums);
        case 2: return sum_parts<2>(rows, columns, sums);
        default: return sum_parts<3>(rows, columns, sums);
    }
}

/// A vector holds two quads of all rows of a part.
OKKSIM_WITH_VNNI void sum_row_vectors(const ByteRows& rows, std::int32_t* sums) {
    constexpr int kQuads = kByteColumns / kByteRows;
    constexpr __mmask16 kFirst = (1u << kByteRows) - 1;
    const __m512i ones = _mm512_set1_epi8(1);
    const ByteQuad* quads = rows.quads;
    for (std::int64_t part = 0; part < rows.parts; ++part, sums += kByteRows) {
        __m512i sum = _mm512_setzero_si512();
        std::int64_t k = 0;
        for (; k + kQuads <= rows.depth; k += kQuads, quads += kByteColumns) {
            sum = _mm512_dpbusd_epi32(sum, ones, _mm512_loadu_si512(quads));
        }
        if (k < rows.depth) {
            sum = _mm512_dpbusd_epi32(sum, ones, _mm512_maskz_loadu_epi32(kFirst, quads));
            quads += kByteRows;
        }
        alignas(sizeof sum) std::uint32_t words[kByteColumns];
        _mm512_store_si512(words, sum);
        for (int r = 0; r < kByteRows; ++r) {
            sums[r] = static_cast<std::int32_t>(words[r] + words[r + kByteRows]);
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

void sum_byte_products(const ByteRows& rows, const ByteColumns& columns, std::int32_t* sums) {
#ifdef __x86_64__
    if (has_byte_products()) return sum_vectors(rows, columns, sums);
#endif
    sum_one_by_one(rows, columns, sums);
}

void sum_byte_rows(const ByteRows& rows, std::int32_t* sums) {
#ifdef __x86_64__
    if (has_byte_products()) return sum_row_vectors(rows, sums);
#endif
    sum_rows_one_by_one(rows, sums);
}

}  // namespace okksim::models
