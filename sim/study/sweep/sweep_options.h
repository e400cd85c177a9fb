// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace okksim::sim::sweep {

/// A part of a sweep: the points whose number has the remainder `index` after division by `count`.
struct Shard {
    std::uint64_t index = 0;
    std::uint64_t count = 1;
};

/// Options of a sweep's run.
struct SweepOptions {
    int jobs = 1;  ///< processes
    Shard shard;
    /// Largest number of points that a run computes. A larger sweep is a ConfigError that names the
    /// number of points and the expected time.
    std::uint64_t most_points = 20'000;
    std::function<void(std::uint64_t done, std::uint64_t todo)> progress;
};

}  // namespace okksim::sim::sweep
