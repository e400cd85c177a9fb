// SPDX-License-Identifier: Apache-2.0
#include "sim/zoo/random.h"

#include <cmath>

namespace okksim::sim::zoo {

Random::Random(std::uint64_t seed, std::uint64_t stream) : state_(seed) {
    state_ = bits() ^ (stream * 0xD1B54A32D192ED03U);
}

std::uint64_t Random::bits() {
    // A Weyl sequence and a mixing function (SplitMix64).
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

double Random::uniform() { return std::ldexp(static_cast<double>(bits() >> 11), -53); }

double Random::normal() {
    const std::uint64_t word = bits();
    const std::uint64_t sum =
        (word & 0xFFFF) + (word >> 16 & 0xFFFF) + (word >> 32 & 0xFFFF) + (word >> 48);
    // Four numbers uniform over 0..65535: mean 131070, variance 4 (2^32 - 1) / 12.
    constexpr double kScale = 1.7320508075688772 / 65536.0;
    return (static_cast<double>(sum) - 131070.0) * kScale;
}

}  // namespace okksim::sim::zoo
