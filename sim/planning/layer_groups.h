// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/planning/group_search.h"
#include "sim/planning/operator_times.h"
#include "sim/planning/plan.h"
#include "sim/planning/search_budget.h"

namespace okksim::sim::planning {

/// Returns layer groups that are faster on the machine than separate kernels. Groups are cut where
/// the live feature maps do not fit in local memory or, with all cuts, where a cut is faster.
/// `plan` is the plan without groups, and `times` are its operators' times. Each candidate counts
/// against `budget`. Groups use local memory halved `halvings` times, as on smaller machines.
std::vector<LayerGroup> choose_layer_groups(const graph::Graph& graph, const GraphPlan& plan,
                                            const Machine& machine, const OperatorTimes& times,
                                            CutSearch search, SearchBudget& budget,
                                            int halvings = 0);

/// Maximum halvings of local memory: groups are tried with as little as an eighth.
inline constexpr int kMostHalvings = 3;

/// Plans each chosen group for the machine. The result has no value if the operators cannot form a
/// group or do not fit in local memory. `plan` and `times` are as for choose_layer_groups().
std::vector<std::optional<LayerGroup>> plan_layer_groups(const graph::Graph& graph,
                                                         const GraphPlan& plan,
                                                         const Machine& machine,
                                                         const OperatorTimes& times,
                                                         std::span<const ChosenLayers> choices);

/// Returns the choice that describes the group.
ChosenLayers choice_of(const LayerGroup& group);

}  // namespace okksim::sim::planning
