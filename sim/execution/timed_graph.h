// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "sim/device/chip_device.h"
#include "sim/execution/execution_report.h"
#include "sim/execution/random_input.h"
#include "sim/execution/started_run.h"
#include "sim/execution/timed_port.h"
#include "sim/machine/machine.h"
#include "sim/planning/plan.h"

namespace okksim::sim::execution {

struct TimedRunOptions {
    LaunchLimits limits;
    /// The values that the control processor loads in the run; nullptr if unknown.
    const LoadedValues* values = nullptr;
    /// Called just before the run. Observers attach here.
    std::function<void(const StartedRun&)> starting;
    /// Detects mistakes of kernels that the machine executes silently.
    bool looks_for_mistakes = true;
};

/// Runs a planned graph only for its times, which are those of GraphExecutor. Nothing is computed,
/// and no constant is copied. `values` must contain conditions of COND_IF and WHILE_LOOP, and all
/// other values that firmware loads. Otherwise the run ends with a fault that says so.
ExecutionReport time_graph(const graph::Graph& graph, const planning::GraphPlan& plan,
                           const Machine& machine, const TimedRunOptions& options);

/// Times a graph with the values that its times depend on. If `values` is unset and the run needs
/// them, the graph runs once with data and with the inputs `input`. `values` then receives them for
/// every machine, and the second run without data calls `options.starting` again. Graphs with
/// CUSTOM operators end with the fault of time_graph().
ExecutionReport time_with_values(const graph::Graph& graph, const planning::GraphPlan& plan,
                                 const Machine& machine, TimedRunOptions options,
                                 const InputValues& input, std::optional<LoadedValues>& values);

}  // namespace okksim::sim::execution
