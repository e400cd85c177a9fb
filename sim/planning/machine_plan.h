// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/planning/operator_times.h"
#include "sim/planning/plan.h"
#include "sim/planning/search_budget.h"

namespace okksim::sim::planning {

/// ConfigError when a machine lacks what graphs need beside memory: every plan for it asks.
void check_machine(const Machine& machine);

/// What a plan may do to be faster.
struct PlanEffort {
    /// Operators share a kernel where that takes less time on the machine: a shared kernel moves
    /// fewer bytes, but its tiles are smaller.
    bool fuse = true;
    /// Maps stay in local memory between operators (layer_groups.h) where that takes less time.
    bool layers = true;
    /// All cuts into groups and slices are priced, also where the maps of a long run of operators
    /// fit as a whole.
    bool all_cuts = false;
    /// More ends of groups, numbers of slices and sizes of parts are priced as well; where that
    /// finds nothing faster, the plan is that of all cuts.
    bool thorough = false;
    SearchLimit limit = {};  ///< of the search for layer groups
};

/// -O of the program: 0 stores every result; 1 keeps maps in local memory; 2 also prices all cuts;
/// 3 searches thoroughly.
inline constexpr int kMostEffort = 3;
constexpr PlanEffort effort_of(int level) {
    return {.fuse = true, .layers = level > 0, .all_cuts = level > 1, .thorough = level > 2};
}

/// Plans a validated graph for a machine, with the decisions of its kernels (decide.h). Errors as
/// plan_graph().
/// `spent`: what the search for layer groups has taken goes there.
GraphPlan plan_for_machine(const graph::Graph& graph, const Machine& machine,
                           const PlanEffort& effort = {}, SearchSpent* spent = nullptr);

/// The same with the groups that `options` say, whatever they take.
GraphPlan plan_for_machine(const graph::Graph& graph, const Machine& machine,
                           const PlanOptions& options);

/// What a plan is made of: PlanOptions without layer groups, and the groups to try on the plan that
/// these give.
struct PlanChoices {
    PlanOptions options;
    std::function<std::vector<TriedGroup>(const GraphPlan&, const OperatorTimes&)> groups;
};

/// The same as chosen before, whatever it takes: plan_for_machine() gives the same plan for its own
/// choices.
GraphPlan plan_as_chosen(const graph::Graph& graph, const Machine& machine,
                         const PlanChoices& choices);

}  // namespace okksim::sim::planning
