// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/sweep/point_store.h"
#include "sim/sweep/sweep_options.h"
#include "sim/sweep/sweep_outcome.h"
#include "sim/sweep/sweep_spec.h"

namespace okksim::sim::sweep {

/// Computes the points that the store does not have. Points are kept as they are finished, so it
/// may be ended at any moment and started again. A point that fails is a row with its reason; one
/// that the host has no memory for, or whose process dies, is not kept, but counted. ConfigError
/// for what no point can be computed of.
SweepOutcome run_sweep(const SweepSpec& spec, PointStore& store, const SweepOptions& options);

}  // namespace okksim::sim::sweep
