// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/types.h"
#include "models/bdc/typed/typed_ops.h"

namespace okksim::models {

/// Scaling of 32-bit sums to results.
struct WordScaling {
    const typed_ops::Scaling* scaling = nullptr;  ///< nullptr: the sum is the result
    std::int64_t multiplier = 0;
    std::int64_t shift = 0;
};

/// Stores the results of `count` sums, each with `start` added, all in 32 bits that wrap, as
/// neighbouring elements: their low bits. Types of at most 32 bits.
void store_word_results(const WordScaling& how, std::int64_t start, const std::int32_t* sums,
                        std::int64_t count, isa::ElementType type, std::byte* to);

}  // namespace okksim::models
