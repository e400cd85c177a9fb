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
#include "sim/planning/block_time.h"
#include "sim/planning/call_plans.h"
#include "sim/planning/decide.h"
#include "sim/planning/layer_groups.h"
#include "sim/planning/operator_groups.h"

namespace okksim::sim::planning {
namespace {

/// What the steps of an operator take; nothing where a kernel waits for values of the run.
class OperatorTimes {
 public:
    /// The plan's costs are known.
    OperatorTimes(const graph::Graph& graph, const GraphPlan& plan) {
        for (const StepCost& cost : plan.costs) {
            const graph::Operator& op = graph.block(cost.place).operators[cost.op];
            times_[&op] += cost.microseconds;
            if (!cost.note.empty()) unknown_.insert(&op);
        }
    }

    /// Of an operator; of one in another one's kernel nothing but what it adds there.
    std::optional<double> of(const graph::Operator& op) const {
        if (unknown_.count(&op) > 0) return std::nullopt;
        const auto time = times_.find(&op);
        return time == times_.end() ? 0 : time->second;
    }

    /// Of all operators of a group together.
    std::optional<double> of(const graph::Block& block, const OperatorGroup& group) const {
        double sum = 0;
        std::vector<std::uint32_t> operators{group.first};
        for (const GroupMember& member : group.followers) operators.push_back(member.op);
        for (const std::uint32_t index : operators) {
            const std::optional<double> time = of(block.operators[index]);
            if (!time) return std::nullopt;
            sum += *time;
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
    const auto times_with = [&](const PlanOptions& tried) {
        GraphPlan plan = plan_graph(graph, memory, tried);
        decide(graph, plan, machine, calls);
        return OperatorTimes(graph, plan);
    };
    const OperatorTimes times_apart = times_with({.fuse = false});
    const OperatorTimes times_together = times_with({});
    for (const PlacedGroup& placed : groups) {
        const std::optional<double> before = times_apart.of(placed.block, placed.group);
        const std::optional<double> after = times_together.of(placed.block, placed.group);
        if (before && after && *after < *before) continue;
        options.alone.insert(&placed.block.operators[placed.group.first]);
    }
    return options;
}

}  // namespace

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

namespace {

/// Layer groups that make their block faster; `plan` is the one without any.
void add_layers(const graph::Graph& graph, const Machine& machine, PlanOptions& options,
                CallPlans& calls, GraphPlan& plan) {
    const OperatorTimes times(graph, plan);
    const std::vector<LayerGroup> candidates = choose_layer_groups(
        graph, plan, machine, [&](const graph::Operator& op) { return times.of(op); });
    std::map<const graph::Block*, std::optional<double>> least;
    for (const LayerGroup& group : candidates) {
        const auto [known, is_new] = least.try_emplace(group.block);
        if (is_new) known->second = block_microseconds(graph, plan, group.place, machine);
        options.layers.push_back(group);
        GraphPlan with = plan_graph(graph, graph_memory(machine), options);
        decide(graph, with, machine, calls);
        const auto time = block_microseconds(graph, with, group.place, machine);
        if (known->second && time && *time >= *known->second) {
            options.layers.pop_back();
            continue;
        }
        known->second = time;
        plan = std::move(with);
    }
}

}  // namespace

GraphPlan plan_for_machine(const graph::Graph& graph, const Machine& machine,
                           const PlanEffort& effort) {
    check_machine(machine);
    CallPlans calls;
    PlanOptions options =
        effort.fuse ? fastest_groups(graph, machine, calls) : PlanOptions{.fuse = false};
    GraphPlan plan = plan_graph(graph, graph_memory(machine), options);
    decide(graph, plan, machine, calls);
    if (effort.layers) add_layers(graph, machine, options, calls, plan);
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
