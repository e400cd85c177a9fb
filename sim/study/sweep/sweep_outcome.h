// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::sim::sweep {

/// Result of a sweep's run.
struct SweepOutcome {
    std::int64_t sweep = 0;      ///< number of the sweep in the store
    std::uint64_t points = 0;    ///< points of the shard
    std::uint64_t computed = 0;  ///< points computed in this run
    std::uint64_t taken = 0;     ///< points that the store already had
    std::uint64_t failed = 0;    ///< computed points that failed
    std::uint64_t lost = 0;      ///< points without result: no memory, or their process died
    bool stopped = false;        ///< a signal has ended the run early
};

}  // namespace okksim::sim::sweep
