// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/study/sweep/point_store.h"
#include "sim/study/sweep/sweep_spec.h"

namespace okksim::sim::sweep {

/// A part of a sweep: points whose number leaves `index` when divided by `count`.
struct Shard {
    std::uint64_t index = 0;
    std::uint64_t count = 1;
};

struct SweepOptions {
    int jobs = 1;  ///< processes
    Shard shard;
    /// Points that may be computed without a question; more are a ConfigError that tells how many
    /// there are and how long they will take.
    std::uint64_t most_points = 20'000;
    std::function<void(std::uint64_t done, std::uint64_t todo)> progress;
};

/// What a sweep has come to.
struct SweepOutcome {
    std::int64_t sweep = 0;      ///< in the store
    std::uint64_t points = 0;    ///< of the shard
    std::uint64_t computed = 0;  ///< now
    std::uint64_t taken = 0;     ///< were in the store already
    std::uint64_t failed = 0;    ///< of those computed now
    std::uint64_t lost = 0;      ///< not computed: no memory for them, or their processes died
    bool stopped = false;        ///< a signal has ended it early
};

/// Computes the points that the store does not have. Points are kept as they are finished, so it
/// may be ended at any moment and started again. A point that fails is a row with its reason; one
/// that the host has no memory for, or whose process dies, is not kept, but counted. ConfigError
/// for what no point can be computed of.
SweepOutcome run_sweep(const SweepSpec& spec, PointStore& store, const SweepOptions& options);

}  // namespace okksim::sim::sweep
