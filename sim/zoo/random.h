// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::sim::zoo {

/// A stream of numbers that depends on its seed and number only, the same on every machine.
class Random {
 public:
    Random(std::uint64_t seed, std::uint64_t stream);

    std::uint64_t bits();
    /// In [0, 1).
    double uniform();
    /// Mean 0, variance 1, within +-2 sqrt(3): the sum of four uniform numbers of 16 bits.
    double normal();

 private:
    std::uint64_t state_;
};

}  // namespace okksim::sim::zoo
