// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::models {

/// Four neighbouring terms of a sum of byte products, the first in the lowest byte.
using ByteQuad = std::uint32_t;

/// Number of adjacent rows, and of columns that are computed together.
inline constexpr std::int64_t kByteRows = 8;
inline constexpr std::int64_t kByteColumns = 16;
/// Columns of a tile, whose sums fit the registers.
inline constexpr std::int64_t kByteTileColumns = 3 * kByteColumns;

/// Rows of signed bytes in parts of kByteRows: quad k of row r is
/// quads[(r / kByteRows * depth + k) * kByteRows + r % kByteRows]. The last part is filled up.
struct ByteRows {
    const ByteQuad* quads = nullptr;
    std::int64_t parts = 0;
    std::int64_t depth = 0;  ///< quads of a sum
};

/// Columns of unsigned bytes: quad k of column c is quads[k * pitch + c]. At most kByteTileColumns,
/// filled up to a multiple of kByteColumns.
struct ByteColumns {
    const ByteQuad* quads = nullptr;
    std::int64_t count = 0;
    std::int64_t pitch = 0;
};

/// True if the host has an instruction for dot products of bytes (AVX-512 VNNI).
bool has_byte_products();

/// sums[r * kByteTileColumns + c]: the sum of the products of row r and column c, in 32 bits that
/// wrap. Fast where has_byte_products().
void sum_byte_products(const ByteRows& rows, const ByteColumns& columns, std::int32_t* sums);

/// sums[r]: the sum of the bytes of row r, in 32 bits that wrap.
void sum_byte_rows(const ByteRows& rows, std::int32_t* sums);

}  // namespace okksim::models
