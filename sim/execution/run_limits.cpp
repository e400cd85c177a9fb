// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/run_limits.h"

namespace okksim::sim::execution {

RunLimits run_limits(const graph::Graph& graph, const planning::GraphPlan& plan,
                     const Machine& machine) {
    RunLimits limits{bound::reachable_bound(bound::scope_of(graph), machine), {}};
    for (const planning::Step& step : plan.block(graph.entry).steps) {
        limits.steps.push_back(
            bound::reachable_bound(bound::scope_of(graph.main(), step), machine));
    }
    return limits;
}

std::vector<StepRun> step_runs(const ExecutionReport& report, const RunLimits& limits,
                               const std::string& main) {
    std::vector<StepRun> runs;
    if (report.fault) return runs;
    for (std::size_t i = 0; i < report.operators.size(); ++i) {
        const OperatorRecord& record = report.operators[i];
        // The control-flow operator includes the work of the blocks that it runs.
        const bool goes_on = record.is_layer || record.block != main;
        if (!goes_on) {
            if (runs.size() == limits.steps.size()) return {};
            runs.push_back({i, record.share.account, limits.steps[runs.size()]});
        } else if (!runs.empty()) {
            runs.back().account.add(record.share.account);
        }
    }
    if (runs.size() != limits.steps.size()) return {};
    return runs;
}

}  // namespace okksim::sim::execution
