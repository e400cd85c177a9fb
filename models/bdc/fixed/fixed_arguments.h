// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace okksim::models {

/// Position of one batch element in the words of an operand: (word >> shift) & mask, then widened
/// from the sign bit `sign` (0: unsigned).
struct FixedField {
    int shift = 0;
    std::uint32_t mask = 0;
    std::uint32_t sign = 0;
};

/// A source operand of one batch element: word i is at data[i * step], step 0 or 1. Whole vectors
/// are read, so up to 15 words after the row must be readable; LocalMemory guarantees this.
struct FixedSource {
    const std::uint32_t* data = nullptr;
    std::size_t step = 1;
    FixedField field;
};

/// One batch element of a row of words: result[i] |= saturated value << result_field.shift.
struct FixedRowArguments {
    std::array<FixedSource, 3> sources;
    std::uint32_t* result = nullptr;  ///< as long as the sources
    FixedField result_field;
    std::int32_t low = 0;  ///< saturation limits
    std::int32_t high = 0;
    std::int32_t lshift = 0;
    std::int32_t rshift = 0;
};

}  // namespace okksim::models
