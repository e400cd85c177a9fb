// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "tests/support/random_source.h"

namespace okksim::tests {

/// A 32-bit word that is difficult for arithmetic: signed zeros, denormals, infinities, NaNs,
/// powers of two around 1 and 2^31, extreme integers.
std::uint32_t edge_word(RandomSource& random);

/// A word of a random class: plain or wide-range floats, floats near the denormals, arbitrary bits,
/// edge words. Small integers appear as int32, int16 pairs or floats.
std::uint32_t random_word(RandomSource& random);

/// Fills memory with blocks of words, each block of one class; most blocks share one class.
void fill_random(RandomSource& random, std::span<std::uint8_t> memory);

}  // namespace okksim::tests
