// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "sim/device/chip_device.h"
#include "sim/execution/execution_report.h"
#include "sim/execution/started_run.h"
#include "sim/execution/timed_port.h"
#include "sim/graph/host_tensor.h"
#include "sim/machine/machine.h"
#include "sim/planning/plan.h"

namespace okksim::sim::execution {

struct TimedRunOptions {
    LaunchLimits limits;
    /// The values that the control processor loads in the run; nullptr if unknown.
    const LoadedValues* values = nullptr;
    /// Called after the constants are prepared, just before the run. Observers attach here.
    std::function<void(const StartedRun&)> starting;
    /// Accounts for the time of every operator, instead of only the run.
    bool by_operator = true;
    /// Detects mistakes of kernels that the machine executes silently.
    bool looks_for_mistakes = true;
};

/// Runs a planned graph only for its times, which are those of GraphExecutor. Nothing is computed,
/// and no constant is copied. `values` or `input` must give conditions of COND_IF and WHILE_LOOP,
/// and all other values that firmware loads. Otherwise the run ends with a fault that says so.
ExecutionReport time_graph(const graph::Graph& graph, const planning::GraphPlan& plan,
                           const Machine& machine, const TimedRunOptions& options);

/// Values of the inputs of the main block.
using InputValues = std::function<graph::HostTensor(std::size_t index)>;

/// Returns the values that the control processor loads in a run with data. They are the same on
/// every machine.
LoadedValues values_of_run(const graph::Graph& graph, const planning::GraphPlan& plan,
                           const Machine& machine, const InputValues& input);

/// Returns true if a run without data has ended because it needs values of a run. A run of a CUSTOM
/// operator has no such values.
bool lacks_values(const ExecutionReport& report, const graph::Graph& graph);

}  // namespace okksim::sim::execution
