// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/study/search/search_engine.h"
#include "sim/study/sweep/design.h"
#include "sim/study/sweep/point_run.h"

namespace okksim::sim::sweep {

/// Runs a sweep of mode = "search". The engine asks for points, which come from the store or are
/// computed. The search ends after `spec.points`, or after `spec.stall` points in a row that leave
/// the Pareto front unchanged. The same specification asks for the same points in the same order,
/// with any number of processes, so an interrupted search can continue. ConfigError if no engine is
/// installed, for shards, and if constraints reject every point.
SweepOutcome search_front(const SweepSpec& spec, const Design& design, PointStore& store,
                          const SweepOptions& options, PointRun& run);

/// Returns the engine of the library search.so, which is in the folder okksim next to this library.
/// ConfigError if the library is missing.
search::SearchEngine load_search_engine();

}  // namespace okksim::sim::sweep
