// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/machine_plan.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "isa/errors.h"
#include "kernels/rescale/rescale_operands.h"
#include "sim/planning/call_plans.h"
#include "sim/planning/decide.h"
#include "sim/planning/operator_groups.h"

namespace okksim::sim::planning {
namespace {

/// What the steps of an operator take; nothing where a kernel waits for values of the run.
class OperatorTimes {
 public:
    OperatorTimes(const graph::Graph& graph, GraphPlan plan, const Machine& machine,
                  CallPlans& calls) {
        decide(graph, plan, machine, calls);
        for (const StepCost& cost : plan.costs) {
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

/// A group and its block.
struct PlacedGroup {
    const graph::Block& block;
    OperatorGroup group;
};

std::vector<PlacedGroup> all_groups(const graph::Graph& graph) {
    std::vector<PlacedGroup> groups;
    for (const graph::Region& region : graph.regions) {
        for (const graph::Block& block : region.blocks) {
            for (OperatorGroup& group : choose_groups(block)) {
                groups.push_back({block, std::move(group)});
            }
        }
    }
    return groups;
}

}  // namespace

MemoryRange graph_memory(const Machine& machine) {
    const isa::MachineShape shape = machine.params.shape();
    const auto reserved = static_cast<std::uint64_t>(machine.params.global.reserved_bytes);
    return {shape.global_start + reserved, shape.global_bytes - reserved};
}

namespace {

/// Groups that run together take the shorter time.
PlanOptions fastest_groups(const graph::Graph& graph, const Machine& machine, CallPlans& calls) {
    PlanOptions options;
    const std::vector<PlacedGroup> groups = all_groups(graph);
    if (groups.empty()) return options;
    const MemoryRange memory = graph_memory(machine);
    const OperatorTimes times_apart(graph, plan_graph(graph, memory, {.fuse = false}), machine,
                                    calls);
    const OperatorTimes times_together(graph, plan_graph(graph, memory), machine, calls);
    for (const PlacedGroup& placed : groups) {
        const std::optional<double> before = times_apart.of(placed.block, placed.group);
        const std::optional<double> after = times_together.of(placed.block, placed.group);
        if (before && after && *after < *before) continue;
        options.alone.insert(&placed.block.operators[placed.group.first]);
    }
    return options;
}

/// What kernels of graphs ask of a machine beside what every machine must have.
void check_machine(const Machine& machine) {
    constexpr std::int64_t kBytesOfWord = 4;  // of packed elements, which become as many words
    const std::int64_t words = machine.params.chip.vector_words;
    if (words % kBytesOfWord != 0) {
        throw ConfigError(
            "chip.vector_words",
            fmt::format("{} is not a multiple of {}: graphs unpack every word of bytes "
                        "to {} words of the same channel; choose a multiple",
                        words, kBytesOfWord, kBytesOfWord));
    }
    const std::int64_t least = machine.params.chip.lanes *
                               static_cast<std::int64_t>(kernels::kMostScaleRows * sizeof(float));
    if (machine.params.l2.bytes < least) {
        throw ConfigError("l2.bytes",
                          fmt::format("{} bytes are less than {} (constants of a RESCALE for one "
                                      "channel of each of chip.lanes = {}), which graphs need; "
                                      "choose more",
                                      machine.params.l2.bytes, least, machine.params.chip.lanes));
    }
}

}  // namespace

GraphPlan plan_for_machine(const graph::Graph& graph, const Machine& machine, bool fuse) {
    check_machine(machine);
    CallPlans calls;
    const PlanOptions options =
        fuse ? fastest_groups(graph, machine, calls) : PlanOptions{.fuse = false};
    GraphPlan plan = plan_graph(graph, graph_memory(machine), options);
    decide(graph, plan, machine, calls);
    return plan;
}

GraphPlan plan_for_machine(const graph::Graph& graph, const Machine& machine,
                           const PlanOptions& options) {
    check_machine(machine);
    GraphPlan plan = plan_graph(graph, graph_memory(machine), options);
    decide(graph, plan, machine);
    return plan;
}

}  // namespace okksim::sim::planning
