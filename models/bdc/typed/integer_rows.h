// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/types.h"

namespace okksim::models {

/// Elements of one row in memory, `stride` bytes apart; 0 repeats one.
struct IntegerRow {
    std::byte* data = nullptr;
    std::int64_t stride = 0;
    isa::ElementType type{};

    /// The row from element `count` on.
    IntegerRow behind(std::int64_t count) const { return {data + count * stride, stride, type}; }
};

/// Returns the low 48 bits of a sum, sign-extended: the content of an accumulator.
std::int64_t accumulator(std::int64_t sum);

/// Values of a row: integers, or the bits of floating point.
void load_integers(const IntegerRow& row, std::int64_t count, std::int64_t* values);

/// Stores values as elements of the row's type: their low bits, or the nearest integer that it has.
void store_integers(const IntegerRow& row, std::int64_t count, const std::int64_t* values,
                    bool saturates);

}  // namespace okksim::models
