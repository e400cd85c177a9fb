// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::models {

/// Rows of bytes, one after the other; depth is a multiple of kProductAlignment (int_products.h).
template <typename Byte>
struct ByteRows {
    const Byte* values = nullptr;
    std::int64_t rows = 0;
    std::int64_t depth = 0;
};

/// Whether the host has an instruction for dot products of bytes (AVX-512 VNNI).
bool has_byte_products();

/// sums[l * pitch + r]: the sum of the products of row l of `left` and row r of `right`, in 32 bits
/// that wrap. Fast where has_byte_products().
void sum_byte_products(const ByteRows<std::int8_t>& left, const ByteRows<std::uint8_t>& right,
                       std::int32_t* sums, std::int64_t pitch);

}  // namespace okksim::models
