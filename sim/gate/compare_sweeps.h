// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/gate/compare_baselines.h"
#include "sim/gate/sweep_record.h"

namespace okksim::sim::gate {

/// Compares a sweep's records. A front of other machines is kMoved, a machine that no longer runs
/// kChanged, and an objective that has grown by more than the threshold on any machine kSlower. The
/// reasons name what moved, machines that left the front and that came, and causes by the
/// accounting. Times are geometric means over the machines that run in both.
CaseComparison compare_sweep_records(const SweepRecord& base, const SweepRecord& next,
                                     double threshold);

}  // namespace okksim::sim::gate
