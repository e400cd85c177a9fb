// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/execution/executor.h"
#include "sim/planning/machine_plan.h"

namespace okksim::tests {

/// Result of running a graph with one output.
struct GroupRun {
    std::optional<FaultCode> fault;
    std::string fault_text;
    std::vector<std::byte> output;
    std::size_t kernels = 0;  ///< of the entry block
    double microseconds = 0;
};

inline GroupRun run_planned(const sim::graph::Graph& graph,
                            const std::vector<sim::graph::HostTensor>& inputs,
                            const sim::Machine& machine,
                            const sim::planning::PlanOptions& options) {
    using namespace sim;
    const auto plan = planning::plan_for_machine(graph, machine, options);
    Simulation simulation(machine, {});
    execution::GraphExecutor executor(graph, plan, simulation);
    for (std::size_t i = 0; i < inputs.size(); ++i) executor.set_input(i, inputs[i]);
    const execution::ExecutionReport report = executor.run();
    GroupRun run;
    run.microseconds = (report.end - report.start).microseconds();
    if (report.fault) {
        run.fault = report.fault->code;
        run.fault_text =
            report.fault->function + " " + report.fault->argument + " " + report.fault->rule;
    }
    const graph::HostTensor output = executor.output(0);
    run.output.assign(output.data.begin(), output.data.end());
    for (const planning::Step& step : plan.block(graph.entry).steps) {
        if (step.kind == planning::StepKind::kKernel) ++run.kernels;
    }
    return run;
}

/// Runs a graph with its operators in groups, or with a separate kernel for every operator.
inline GroupRun run_group(const sim::graph::Graph& graph,
                          const std::vector<sim::graph::HostTensor>& inputs,
                          const sim::Machine& machine, bool in_groups) {
    return run_planned(graph, inputs, machine, sim::planning::PlanOptions{.fuse = in_groups});
}

}  // namespace okksim::tests
