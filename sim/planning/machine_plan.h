// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/planning/operator_times.h"
#include "sim/planning/plan.h"
#include "sim/planning/search_budget.h"

namespace okksim::sim::planning {

/// Throws ConfigError if the machine lacks something other than memory that graphs need. Every
/// planning function calls it.
void check_machine(const Machine& machine);

/// The ways in which a plan may be optimised.
struct PlanEffort {
    /// Operators share a kernel if that is faster on the machine. A shared kernel moves fewer
    /// bytes, but its tiles are smaller.
    bool fuse = true;
    /// Feature maps stay in local memory between operators (layer_groups.h) if that is faster.
    bool layers = true;
    /// All cuts into groups and slices are priced, even if the feature maps of a long run of
    /// operators fit as a whole.
    bool all_cuts = false;
    /// More group ends, slice counts and part sizes are priced. If none is faster, the plan is that
    /// of `all_cuts`.
    bool thorough = false;
    SearchLimit limit = {};  ///< of the search for layer groups
};

/// The option -O: 0 stores every result, 1 keeps feature maps in local memory, 2 also prices all
/// cuts, and 3 searches thoroughly.
inline constexpr int kMostEffort = 3;
constexpr PlanEffort effort_of(int level) {
    return {.fuse = true, .layers = level > 0, .all_cuts = level > 1, .thorough = level > 2};
}

/// Plans a validated graph for a machine, with the decisions of its kernels (decide.h). Throws the
/// errors of plan_graph(). `spent`, if not null, receives the effort of the search for layer
/// groups.
GraphPlan plan_for_machine(const graph::Graph& graph, const Machine& machine,
                           const PlanEffort& effort = {}, SearchSpent* spent = nullptr);

/// Plans with the given options and groups, even if they are slower.
GraphPlan plan_for_machine(const graph::Graph& graph, const Machine& machine,
                           const PlanOptions& options);

/// The choices of a plan: options without layer groups, and a function that returns the groups to
/// try on the plan with these options.
struct PlanChoices {
    PlanOptions options;
    std::function<std::vector<TriedGroup>(const GraphPlan&, const OperatorTimes&)> groups;
};

/// Repeats earlier choices, even if they are slower. With the choices of plan_for_machine(), the
/// plan is the same.
GraphPlan plan_as_chosen(const graph::Graph& graph, const Machine& machine,
                         const PlanChoices& choices);

}  // namespace okksim::sim::planning
