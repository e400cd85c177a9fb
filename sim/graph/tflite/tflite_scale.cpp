// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tflite/tflite_scale.h"

#include <cmath>
#include <string>

#include "sim/graph/tflite/tflite_value.h"

namespace okksim::sim::graph::tflite {

Multiplier multiplier_of(double scale) {
    constexpr int kBits = 31, kMostShift = 62, kLeastShift = 2;
    int exponent = 0;
    const double fraction = std::frexp(scale, &exponent);
    auto multiplier = static_cast<std::int64_t>(std::round(std::ldexp(fraction, kBits)));
    if (multiplier == std::int64_t{1} << kBits) {
        multiplier /= 2;
        ++exponent;
    }
    const int shift = kBits - exponent;
    if (shift > kMostShift) return {0, kMostShift};
    if (shift < kLeastShift) {
        throw UnsupportedPart("quantisation that multiplies by " + std::to_string(scale));
    }
    return {static_cast<std::int32_t>(multiplier), shift};
}

Multiplier short_multiplier_of(double scale) {
    constexpr std::int32_t kLimit = 0x7FFF0000, kMost = 0x7FFF, kHalf = 1 << 15;
    const Multiplier full = multiplier_of(scale);
    constexpr int kLess = 16, kLeastShift = 2;
    const std::int32_t multiplier =
        full.multiplier >= kLimit ? kMost : (full.multiplier + kHalf) >> kLess;
    if (full.shift - kLess < kLeastShift) {
        throw UnsupportedPart("quantisation that multiplies by " + std::to_string(scale));
    }
    return {multiplier, full.shift - kLess};
}

std::int64_t scaled(std::int64_t x, const Multiplier& scale, RoundingMode rounding) {
    std::int64_t round = std::int64_t{1} << (scale.shift - 1);
    if (rounding == RoundingMode::kDoubleRound && scale.shift > 31) {
        round += x >= 0 ? std::int64_t{1} << 30 : -(std::int64_t{1} << 30);
    }
    return (x * scale.multiplier + round) >> scale.shift;
}

}  // namespace okksim::sim::graph::tflite
