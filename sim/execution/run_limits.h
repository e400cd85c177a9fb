// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/bound/reachable_bound.h"
#include "sim/execution/execution_report.h"
#include "sim/planning/plan.h"

namespace okksim::sim::execution {

/// Lower bounds of the time of a graph on a machine: for any plan, and for each step of a given
/// plan with its inputs.
struct RunLimits {
    bound::ReachableBound whole;               ///< of the main block
    std::vector<bound::ReachableBound> steps;  ///< of the main block's steps, in order
};
RunLimits run_limits(const graph::Graph& graph, const planning::GraphPlan& plan,
                     const Machine& machine);

/// A step of the main block in a run: a kernel, or a layer group with all of its layers.
struct StepRun {
    std::size_t record = 0;  ///< position of its first operator in ExecutionReport::operators
    trace::Account account;  ///< its share of the run's time
    bound::ReachableBound limit;
};
/// Returns the steps of a run. `main` is the name of the main block. Returns an empty list if the
/// records are not those of the plan's steps, because the run ended early or had too many records.
std::vector<StepRun> step_runs(const ExecutionReport& report, const RunLimits& limits,
                               const std::string& main);

}  // namespace okksim::sim::execution
