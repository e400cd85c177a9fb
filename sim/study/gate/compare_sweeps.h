// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/study/gate/case_comparison.h"
#include "sim/study/gate/sweep_record.h"

namespace okksim::sim::gate {

/// Compares a sweep's records. Other machines on the Pareto front give kMoved, and a machine that
/// no longer runs gives kChanged. An objective that grows by more than the threshold on any machine
/// gives kSlower. The reasons name changes, machines that left or joined the Pareto front, and
/// causes by the accounting. Times are geometric means over the machines that run in both.
CaseComparison compare_sweep_records(const SweepRecord& base, const SweepRecord& next,
                                     double threshold);

}  // namespace okksim::sim::gate
