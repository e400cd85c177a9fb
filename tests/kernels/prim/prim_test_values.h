// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/support/random_source.h"

namespace okksim::tests {

using Words = std::vector<std::uint32_t>;
__extension__ using Int128 = __int128;

/// int32 values where carries, signs and widths change.
inline std::vector<std::int32_t> edge_integers() {
    std::vector<std::int32_t> values{0, 1, -1, 2, -2, 3, 127, 128, -128, -129, 255, 256, 257};
    for (int bit = 8; bit < 31; ++bit) {
        for (int delta = -2; delta <= 2; ++delta) {
            values.push_back((1 << bit) + delta);
            values.push_back(-(1 << bit) + delta);
        }
    }
    for (const std::int32_t value : {INT32_MAX, INT32_MAX - 1, INT32_MIN, INT32_MIN + 1}) {
        values.push_back(value);
    }
    for (const std::uint32_t value : {0xFFFF0000u, 0x0000FFFFu, 0x00010000u, 0x7FFF8000u,
                                      0x80007FFFu, 0xAAAAAAAAu, 0x55555555u, 0x8000FFFFu}) {
        values.push_back(static_cast<std::int32_t>(value));
    }
    return values;
}

/// An int32 of random width, so that small values are as frequent as large ones.
inline std::int32_t random_integer(RandomSource& random) {
    const auto bits = static_cast<std::int32_t>(random.bits());
    return bits >> random.below(32);
}

/// All pairs of edge values, then random pairs.
inline std::pair<Words, Words> integer_pairs(std::size_t random_count, std::uint64_t seed) {
    std::pair<Words, Words> pairs;
    const auto edges = edge_integers();
    for (const std::int32_t a : edges) {
        for (const std::int32_t b : edges) {
            pairs.first.push_back(static_cast<std::uint32_t>(a));
            pairs.second.push_back(static_cast<std::uint32_t>(b));
        }
    }
    RandomSource random(seed);
    for (std::size_t i = 0; i < random_count; ++i) {
        pairs.first.push_back(static_cast<std::uint32_t>(random_integer(random)));
        pairs.second.push_back(static_cast<std::uint32_t>(random_integer(random)));
    }
    return pairs;
}

/// fp32 bit patterns: zeros, denormals, halves, powers, limits, infinities, NaNs of both kinds.
inline Words edge_floats() {
    Words values;
    for (const std::uint32_t magnitude :
         {0x00000000u, 0x00000001u, 0x007FFFFFu, 0x00800000u, 0x00800001u, 0x33800000u, 0x34000000u,
          0x3EFFFFFFu, 0x3F000000u, 0x3F000001u, 0x3F7FFFFFu, 0x3F800000u, 0x3F800001u, 0x3FC00000u,
          0x40000000u, 0x40200000u, 0x40600000u, 0x4AFFFFFFu, 0x4B000000u, 0x4B000001u, 0x4B7FFFFFu,
          0x4B800000u, 0x4EFFFFFFu, 0x4F000000u, 0x4F000001u, 0x7F000000u, 0x7F7FFFFFu, 0x7F800000u,
          0x7F800001u, 0x7FC00000u, 0x7FFFFFFFu}) {
        values.push_back(magnitude);
        values.push_back(magnitude | 0x80000000u);
    }
    return values;
}

inline float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
inline std::uint32_t as_bits(float value) { return std::bit_cast<std::uint32_t>(value); }

}  // namespace okksim::tests
