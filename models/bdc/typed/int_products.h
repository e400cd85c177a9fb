// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::models {

/// Values of 16 bits that rows of products are padded to, with zeros.
inline constexpr std::int64_t kProductAlignment = 64;

/// Rows of `depth` values, one after the other; depth is a multiple of kProductAlignment.
struct ProductRows {
    const std::int16_t* values = nullptr;
    std::int64_t rows = 0;
    std::int64_t depth = 0;
};

/// sums[l * pitch + r]: the sum of the products of row l of `left` and row r of `right`, in 32 bits
/// that wrap. Products of two neighbours must not overflow 32 bits: values of at most 15 bits do.
void sum_products(const ProductRows& left, const ProductRows& right, std::int32_t* sums,
                  std::int64_t pitch);

}  // namespace okksim::models
