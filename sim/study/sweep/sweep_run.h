// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/study/sweep/point_store.h"
#include "sim/study/sweep/sweep_options.h"
#include "sim/study/sweep/sweep_outcome.h"
#include "sim/study/sweep/sweep_spec.h"

namespace okksim::sim::sweep {

/// Computes the points that are missing in the store. Every finished point is stored, so the sweep
/// may be interrupted and started again at any time. A failed point is stored with its reason. A
/// point that runs out of host memory or whose process dies is only counted. ConfigError for errors
/// that concern every point.
SweepOutcome run_sweep(const SweepSpec& spec, PointStore& store, const SweepOptions& options);

}  // namespace okksim::sim::sweep
