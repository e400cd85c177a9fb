// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/zoo/moments.h"

namespace okksim::sim::zoo {

/// Maps an integer q to the real number scale * (q - zero_point).
struct Quantisation {
    double scale = 1.0;
    int zero_point = 0;

    /// Returns the nearest int8.
    std::int8_t quantise(double real) const;
    double real(int q) const { return scale * (q - zero_point); }
};

/// Returns the int8 quantisation that covers a range.
Quantisation quantise_range(const Range& range);

/// The factor multiplier * 2^-shift for RESCALE with scale32.
struct Scaling {
    std::int32_t multiplier;  ///< 2^30 to 2^31 - 1
    int shift;                ///< 2 to 62
};
/// Returns the scaling nearest to `factor`, which must be in 2^-31 .. 2^28.
Scaling scaling_of(double factor);

/// Returns the bit pattern of the nearest fp16 (ties to even). |value| must be below 65520.
std::uint16_t to_fp16(double value);

}  // namespace okksim::sim::zoo
