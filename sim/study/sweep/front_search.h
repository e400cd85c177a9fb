// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/study/search/search_engine.h"
#include "sim/study/sweep/design.h"
#include "sim/study/sweep/point_run.h"

namespace okksim::sim::sweep {

/// A sweep of mode = "search": an engine asks for points, which are taken from the store or
/// computed, until there are `spec.points`, or so many as `spec.stall` in a row have left the front
/// as it was. Same specification, same points, in the same order, however many processes compute;
/// so one that was stopped goes on where it was. ConfigError when no engine is there, for shards,
/// and when constraints leave nothing.
SweepOutcome search_front(const SweepSpec& spec, const Design& design, PointStore& store,
                          const SweepOptions& options, PointRun& run);

/// The engine of the library search.so, which lies in the folder okksim beside this one's file.
/// ConfigError when it is not there.
search::SearchEngine load_search_engine();

}  // namespace okksim::sim::sweep
