// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/machine_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "isa/base/errors.h"
#include "isa/features.h"
#include "kernels/rescale/rescale_operands.h"
#include "models/chip/chip_params.h"
#include "models/chip/memory_params.h"
#include "sim/planning/block_time.h"
#include "sim/planning/call_plans.h"
#include "sim/planning/decide.h"
#include "sim/planning/graph_memory.h"
#include "sim/planning/graph_planner.h"
#include "sim/planning/group_choice.h"
#include "sim/planning/layer_groups.h"
#include "sim/planning/operator_groups.h"
#include "sim/planning/operator_times.h"
#include "sim/planning/packed_constants.h"

namespace okksim::sim::planning {
namespace {

/// A group and its block.
struct PlacedGroup {
    const graph::Block& block;
    OperatorGroup group;
};

std::vector<PlacedGroup> all_groups(const graph::Graph& graph, const Machine& machine) {
    const isa::MachineShape shape = machine.params.shape();
    std::vector<PlacedGroup> groups;
    for (const graph::Region& region : graph.regions) {
        for (const graph::Block& block : region.blocks) {
            for (OperatorGroup& group : choose_groups(block, &shape)) {
                groups.push_back({block, std::move(group)});
            }
        }
    }
    return groups;
}

}  // namespace

namespace {

GraphPlan decided(const graph::Graph& graph, const Machine& machine, const PlanOptions& options,
                  CallPlans& calls) {
    PlanOptions own = options;
    own.machine = machine.params.shape();
    GraphPlan plan = plan_graph(graph, graph_memory(machine), own);
    decide(graph, plan, machine, calls);
    return plan;
}

/// Calls `each` for every block with such an operator.
void for_each_block_with(
    tosa::OpCode wanted, const graph::Graph& graph,
    const std::function<void(const graph::Block&, tosa::BlockReference)>& each) {
    for (std::uint32_t r = 0; r < graph.regions.size(); ++r) {
        for (std::uint32_t b = 0; b < graph.regions[r].blocks.size(); ++b) {
            const graph::Block& block = graph.regions[r].blocks[b];
            const bool has_it =
                std::any_of(block.operators.begin(), block.operators.end(),
                            [&](const graph::Operator& op) { return op.op == wanted; });
            if (has_it) each(block, {r, b});
        }
    }
}

/// The operators' times in separate kernels and in shared ones. Equal calls take the decisions of
/// the first one, so the order of these plans must stay the same.
struct FusionTimes {
    OperatorTimes apart, together;
};

std::optional<FusionTimes> fusion_times(const graph::Graph& graph, const Machine& machine,
                                        const std::vector<PlacedGroup>& groups, CallPlans& calls) {
    if (groups.empty()) return std::nullopt;
    const auto times_with = [&](const PlanOptions& tried) {
        return OperatorTimes(graph, decided(graph, machine, tried, calls));
    };
    OperatorTimes apart = times_with({.fuse = false});
    return FusionTimes{std::move(apart), times_with({})};
}

/// Returns the options in which operators share a kernel if that is faster.
PlanOptions fastest_groups(const graph::Graph& graph, const Machine& machine, CallPlans& calls) {
    PlanOptions options;
    const std::vector<PlacedGroup> groups = all_groups(graph, machine);
    const std::optional<FusionTimes> times = fusion_times(graph, machine, groups, calls);
    for (const PlacedGroup& placed : groups) {
        const std::optional<double> before = times->apart.of(placed.block, placed.group);
        const std::optional<double> after = times->together.of(placed.block, placed.group);
        if (before && after && *after < *before) continue;
        options.alone.insert(&placed.block.operators[placed.group.first]);
    }
    return options;
}

/// An option that is set for some blocks only. Those blocks have the operator `op`.
struct BlockChoice {
    tosa::OpCode op;
    std::set<const graph::Block*> PlanOptions::*blocks;
};

/// The options are tried in this order.
constexpr BlockChoice kBlockChoices[] = {
    {tosa::OpCode::kTranspose, &PlanOptions::strided},
    {tosa::OpCode::kMatmul, &PlanOptions::chained},
};

/// Returns `plan` with the option set for all blocks, or no value if no block has the operator.
std::optional<GraphPlan> with_all(const BlockChoice& choice, const graph::Graph& graph,
                                  const Machine& machine, CallPlans& calls, const GraphPlan& plan) {
    PlanOptions options = plan.options;
    for_each_block_with(choice.op, graph, [&](const graph::Block& block, tosa::BlockReference) {
        (options.*choice.blocks).insert(&block);
    });
    if ((options.*choice.blocks).empty()) return std::nullopt;
    return decided(graph, machine, options, calls);
}

/// Sets the option for the blocks that are faster with it. `plan` has it set for none.
void choose_blocks(const BlockChoice& choice, const graph::Graph& graph, const Machine& machine,
                   CallPlans& calls, GraphPlan& plan) {
    const std::optional<GraphPlan> with = with_all(choice, graph, machine, calls, plan);
    if (!with) return;
    PlanOptions options = plan.options;
    for_each_block_with(choice.op, graph,
                        [&](const graph::Block& block, tosa::BlockReference place) {
                            const auto before = block_microseconds(graph, plan, place, machine);
                            const auto after = block_microseconds(graph, *with, place, machine);
                            if (before && after && *after < *before)
                                (options.*choice.blocks).insert(&block);
                        });
    if (!(options.*choice.blocks).empty()) plan = decided(graph, machine, options, calls);
}

}  // namespace

void check_machine(const Machine& machine) {
    constexpr std::int64_t kBytesOfWord = 4;  // bytes of packed elements that expand to four words
    const std::int64_t words = machine.params.chip->vector_words;
    if (words % kBytesOfWord != 0) {
        throw ConfigError(
            "chip.vector_words",
            fmt::format("{} is not a multiple of {}: graphs unpack every word of bytes "
                        "to {} words of the same channel; choose a multiple",
                        words, kBytesOfWord, kBytesOfWord));
    }
    const std::int64_t least = machine.params.chip->lanes *
                               static_cast<std::int64_t>(kernels::kMostScaleRows * sizeof(float));
    if (machine.params.l2->bytes < least) {
        throw ConfigError(
            "l2.bytes",
            fmt::format("{} bytes are less than {} (constants of a RESCALE for one channel of each "
                        "of chip.lanes = {}), the least that graphs need; choose more",
                        machine.params.l2->bytes, least, machine.params.chip->lanes));
    }
}

namespace {

/// Returns a function that plans with the options of a plan and with groups.
GroupPlanner planner_with(const graph::Graph& graph, const Machine& machine, PlanOptions options,
                          CallPlans& calls) {
    return [&graph, &machine, options = std::move(options),
            &calls](const std::vector<LayerGroup>& groups) {
        PlanOptions own = options;
        own.layers = groups;
        return decided(graph, machine, own, calls);
    };
}

/// Adds layer groups that make their block faster. `plan` has none.
void add_layers(const graph::Graph& graph, const Machine& machine, CutSearch search,
                SearchBudget& budget, CallPlans& calls, GraphPlan& plan, int halvings = 0) {
    const OperatorTimes times(graph, plan);
    std::vector<TriedGroup> candidates;
    for (LayerGroup& group :
         choose_layer_groups(graph, plan, machine, times, search, budget, halvings)) {
        candidates.push_back({std::move(group)});
    }
    const GroupPlanner plan_with = planner_with(graph, machine, plan.options, calls);
    plan = keep_faster_groups(graph, machine, plan_with, std::move(plan), candidates);
}

/// Bytes of local memory per lane from which plans for less memory are tried as well, and the least
/// memory tried. Below the first limit the additional planning time is not justified.
constexpr std::int64_t kMuchMemory = 1024 * 1024;
constexpr std::int64_t kLeastOfMuch = 256 * 1024;
/// Maximum candidates per halving. A longer search of a graph already has enough cuts.
constexpr std::uint64_t kFewCandidates = 64;

/// Returns the time of all blocks in microseconds, each counted once.
double sum_of_blocks(const graph::Graph& graph, const GraphPlan& plan, const Machine& machine) {
    double sum = 0;
    for (std::uint32_t r = 0; r < graph.regions.size(); ++r) {
        for (std::uint32_t b = 0; b < graph.regions[r].blocks.size(); ++b) {
            sum += block_microseconds(graph, plan, {r, b}, machine)
                       .value_or(std::numeric_limits<double>::infinity());
        }
    }
    return sum;
}

/// Adds the groups that the effort asks for. A thorough search keeps its result if it is faster.
SearchSpent search_layers(const graph::Graph& graph, const Machine& machine,
                          const PlanEffort& effort, CallPlans& calls, GraphPlan& plan) {
    SearchBudget budget(effort.limit);
    const GraphPlan without = plan;
    std::optional<double> least;  // time of `plan`, computed on first use
    const auto keep_faster = [&](GraphPlan other) {
        if (!least) least = sum_of_blocks(graph, plan, machine);
        const double time = sum_of_blocks(graph, other, machine);
        if (time >= *least) return;
        least = time;
        plan = std::move(other);
    };
    const CutSearch cuts = effort.all_cuts ? CutSearch::kAll : CutSearch::kWhereNeeded;
    add_layers(graph, machine, cuts, budget, calls, plan);
    const std::int64_t local = machine.params.chip->local_memory_bytes;
    for (int halvings = 1; halvings <= kMostHalvings; ++halvings) {
        // The cuts that less memory forces may be faster here as well.
        if (local < kMuchMemory || local >> halvings < kLeastOfMuch) break;
        if (!budget.has_left()) break;
        SearchBudget few = budget.part(kFewCandidates);
        GraphPlan other = without;
        add_layers(graph, machine, cuts, few, calls, other, halvings);
        budget.add(few.spent());
        if (few.spent().is_cut) break;
        keep_faster(std::move(other));
    }
    if (effort.thorough) {
        GraphPlan other = without;
        add_layers(graph, machine, CutSearch::kThorough, budget, calls, other);
        keep_faster(std::move(other));
    }
    return budget.spent();
}

}  // namespace

GraphPlan plan_for_machine(const graph::Graph& graph, const Machine& machine,
                           const PlanEffort& effort, SearchSpent* spent) {
    check_machine(machine);
    CallPlans calls;
    const PlanOptions options =
        effort.fuse ? fastest_groups(graph, machine, calls) : PlanOptions{.fuse = false};
    GraphPlan plan = decided(graph, machine, options, calls);
    if (effort.fuse) {
        for (const BlockChoice& choice : kBlockChoices) {
            choose_blocks(choice, graph, machine, calls, plan);
        }
    }
    const SearchSpent search =
        effort.layers ? search_layers(graph, machine, effort, calls, plan) : SearchSpent{};
    if (spent != nullptr) *spent = search;
    place_constants_once(graph, machine, plan);
    return plan;
}

GraphPlan plan_for_machine(const graph::Graph& graph, const Machine& machine,
                           const PlanOptions& options) {
    check_machine(machine);
    CallPlans calls;
    GraphPlan plan = decided(graph, machine, options, calls);
    place_constants_once(graph, machine, plan);
    return plan;
}

GraphPlan plan_as_chosen(const graph::Graph& graph, const Machine& machine,
                         const PlanChoices& choices) {
    check_machine(machine);
    CallPlans calls;
    if (choices.options.fuse) {
        (void)fusion_times(graph, machine, all_groups(graph, machine), calls);
        PlanOptions options = choices.options;
        for (const BlockChoice& choice : kBlockChoices) (options.*choice.blocks).clear();
        for (const BlockChoice& choice : kBlockChoices) {
            const GraphPlan before = decided(graph, machine, options, calls);
            (void)with_all(choice, graph, machine, calls, before);
            options.*choice.blocks = choices.options.*choice.blocks;
        }
    }
    GraphPlan plan = decided(graph, machine, choices.options, calls);
    std::vector<TriedGroup> tried = choices.groups(plan, OperatorTimes(graph, plan));
    std::vector<LayerGroup> kept;
    for (const TriedGroup& each : tried) {
        if (each.kept) kept.push_back(each.group);
    }
    if (!kept.empty()) plan = planner_with(graph, machine, plan.options, calls)(kept);
    plan.tried = std::move(tried);
    place_constants_once(graph, machine, plan);
    return plan;
}

}  // namespace okksim::sim::planning
