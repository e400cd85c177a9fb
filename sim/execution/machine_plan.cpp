// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/machine_plan.h"

#include <map>
#include <optional>
#include <set>

#include "sim/execution/dry_run.h"
#include "sim/execution/executor.h"
#include "sim/execution/fusion.h"

namespace okksim::sim::execution {
namespace {

/// What the steps of an operator take; nothing where a kernel waits for values of the run.
class OperatorTimes {
 public:
    OperatorTimes(const graph::Graph& graph, const GraphPlan& plan, const Machine& machine) {
        for (const StepCost& cost : dry_run(graph, plan, machine)) {
            const graph::Operator& op = graph.block(cost.place).operators[cost.op];
            times_[&op] += cost.microseconds;
            if (!cost.note.empty()) unknown_.insert(&op);
        }
    }

    /// Of all operators of a group together.
    std::optional<double> of(const graph::Block& block, const OperatorGroup& group) const {
        double sum = 0;
        std::vector<std::uint32_t> operators{group.first};
        for (const GroupMember& member : group.followers) operators.push_back(member.op);
        for (const std::uint32_t index : operators) {
            const graph::Operator* op = &block.operators[index];
            if (unknown_.count(op) > 0) return std::nullopt;
            const auto time = times_.find(op);
            if (time != times_.end()) sum += time->second;
        }
        return sum;
    }

 private:
    std::map<const graph::Operator*, double> times_;
    std::set<const graph::Operator*> unknown_;
};

/// First operators of groups that take no less time together than apart.
std::set<const graph::Operator*> better_apart(const graph::Graph& graph, const OperatorTimes& apart,
                                              const OperatorTimes& together) {
    std::set<const graph::Operator*> chosen;
    for (const graph::Region& region : graph.regions) {
        for (const graph::Block& block : region.blocks) {
            for (const OperatorGroup& group : choose_groups(block)) {
                const std::optional<double> before = apart.of(block, group);
                const std::optional<double> after = together.of(block, group);
                if (before && after && *after < *before) continue;
                chosen.insert(&block.operators[group.first]);
            }
        }
    }
    return chosen;
}

bool has_groups(const graph::Graph& graph) {
    for (const graph::Region& region : graph.regions) {
        for (const graph::Block& block : region.blocks) {
            if (!choose_groups(block).empty()) return true;
        }
    }
    return false;
}

}  // namespace

GraphPlan plan_for_machine(const graph::Graph& graph, const Machine& machine, bool fuse) {
    const MemoryRange memory = graph_memory(machine);
    GraphPlan apart = plan_graph(graph, memory, {.fuse = false});
    if (!fuse || !has_groups(graph)) return apart;
    const GraphPlan together = plan_graph(graph, memory);
    return plan_graph(graph, memory,
                      {.alone = better_apart(graph, OperatorTimes(graph, apart, machine),
                                             OperatorTimes(graph, together, machine))});
}

}  // namespace okksim::sim::execution
