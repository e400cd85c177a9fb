// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/bound/reachable_bound.h"
#include "sim/execution/execution_report.h"
#include "sim/planning/plan.h"

namespace okksim::sim::execution {

/// The least time of a graph on a machine in any plan, and that of every step of a plan with what
/// the step is given.
struct RunLimits {
    bound::ReachableBound whole;               ///< of the main block
    std::vector<bound::ReachableBound> steps;  ///< of the main block's steps, in order
};
RunLimits run_limits(const graph::Graph& graph, const planning::GraphPlan& plan,
                     const Machine& machine);

/// A step of the main block as it ran: a kernel, or a layer group with all of its layers.
struct StepRun {
    std::size_t record = 0;  ///< of its (first) operator in ExecutionReport::operators
    trace::Account account;  ///< its share of the run's time
    bound::ReachableBound limit;
};
/// `main`: name of the main block. Empty unless the report's records are those of the plan's steps:
/// a run that ended early, more records than are kept.
std::vector<StepRun> step_runs(const ExecutionReport& report, const RunLimits& limits,
                               const std::string& main);

}  // namespace okksim::sim::execution
