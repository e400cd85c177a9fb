// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/study/sweep/point_store.h"
#include "sim/study/sweep/sweep_spec.h"

namespace okksim::sim::sweep {

/// A part of a sweep: the points with number % count == index.
struct Shard {
    std::uint64_t index = 0;
    std::uint64_t count = 1;
};

struct SweepOptions {
    int jobs = 1;  ///< processes
    Shard shard;
    /// Points computed without confirmation. A larger sweep throws a ConfigError with the number of
    /// points and the estimated time.
    std::uint64_t most_points = 20'000;
    std::function<void(std::uint64_t done, std::uint64_t todo)> progress;
};

/// The outcome of a sweep.
struct SweepOutcome {
    std::int64_t sweep = 0;      ///< id in the store
    std::uint64_t points = 0;    ///< of the shard
    std::uint64_t computed = 0;  ///< in this run
    std::uint64_t taken = 0;     ///< found in the store
    std::uint64_t failed = 0;    ///< among those computed in this run
    std::uint64_t lost = 0;      ///< not computed: out of memory, or the process died
    bool stopped = false;        ///< a signal ended the sweep early
};

/// Computes the points that are missing in the store. Every finished point is stored, so the sweep
/// may be interrupted and started again at any time. A failed point is stored with its reason. A
/// point that runs out of host memory or whose process dies is only counted. ConfigError for errors
/// that concern every point.
SweepOutcome run_sweep(const SweepSpec& spec, PointStore& store, const SweepOptions& options);

}  // namespace okksim::sim::sweep
