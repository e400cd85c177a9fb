// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "sim/device/chip_device.h"
#include "sim/execution/execution_report.h"
#include "sim/execution/started_run.h"
#include "sim/execution/timed_port.h"
#include "sim/machine/machine.h"
#include "sim/planning/plan.h"

namespace okksim::sim::execution {

struct TimedRunOptions {
    LaunchLimits limits;
    /// What the control processor loads of the run; nullptr: nothing is known.
    const LoadedValues* values = nullptr;
    /// Called when the constants are prepared, right before the run: observers attach here.
    std::function<void(const StartedRun&)> starting;
    /// Accounts for every operator, not for the run alone.
    bool by_operator = true;
    /// Looks for mistakes of kernels that the machine carries out without a word.
    bool looks_for_mistakes = true;
};

/// Runs a planned graph for its times alone, which are those of GraphExecutor: nothing is computed,
/// and no constant is copied. Conditions of COND_IF and WHILE_LOOP, and whatever else firmware
/// loads of the run, must be among the values; the fault that ends the run otherwise says so.
ExecutionReport time_graph(const graph::Graph& graph, const planning::GraphPlan& plan,
                           const Machine& machine, const TimedRunOptions& options);

}  // namespace okksim::sim::execution
