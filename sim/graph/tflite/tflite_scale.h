// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/tosa/tosa_types.h"

namespace okksim::sim::graph::tflite {

/// Rounding of products with a scale: twice, as the reference kernels, or once, as newer ones.
using tosa::RoundingMode;

/// A scale as RESCALE has it: x multiplier / 2^shift.
struct Multiplier {
    std::int32_t multiplier = 0;
    int shift = 0;
};

/// Returns the scale with 31 bits. UnsupportedPart for 2^30 and more.
Multiplier multiplier_of(double scale);
/// Returns the scale with 15 bits, for 48-bit sums.
Multiplier short_multiplier_of(double scale);

/// Returns x times the scale as RESCALE computes it.
std::int64_t scaled(std::int64_t x, const Multiplier& scale, RoundingMode rounding);

}  // namespace okksim::sim::graph::tflite
