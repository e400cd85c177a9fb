// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/graph_limits.h"

#include "isa/base/stop_request.h"
#include "sim/graph/operator_walk.h"

namespace okksim::sim::execution {

void set_limits(const graph::Graph& graph, const LaunchLimits& limits,
                firmware::ContextOptions& options) {
    options.command_budget = limits.command_budget;
    options.call_budget = limits.call_budget;
    options.call_seconds = limits.custom_call_seconds;
    options.idle_seconds.reset();
    graph::for_each_operator(graph, [&](const graph::Block&, const graph::Operator& op) {
        if (op.op == tosa::OpCode::kCustom) options.idle_seconds = limits.idle_seconds;
    });
}

void advise_for_graph(const LaunchLimits& limits, FaultRecord& fault) {
    // The advice about a command budget names a flag that exists.
    if (fault.code != FaultCode::kBudget || limits.command_budget) return;
    if (StopRequest::signal() != 0) return;
    fault.advice = "look for a WHILE_LOOP or a kernel of a CUSTOM operator that never ends";
}

}  // namespace okksim::sim::execution
