// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::sim::zoo {

/// A stream of random numbers. It depends only on seed and stream, and is equal on every host.
class Random {
 public:
    Random(std::uint64_t seed, std::uint64_t stream);

    std::uint64_t bits();
    /// Returns a number in [0, 1).
    double uniform();
    /// Returns a number with mean 0 and variance 1 within +-2 sqrt(3): the sum of four uniform
    /// 16-bit numbers.
    double normal();

 private:
    std::uint64_t state_;
};

}  // namespace okksim::sim::zoo
