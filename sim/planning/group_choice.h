// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/planning/plan.h"

namespace okksim::sim::planning {

/// Plans the graph with some layer groups.
using GroupPlanner = std::function<GraphPlan(const std::vector<LayerGroup>&)>;

/// Chooses the groups that make their blocks faster than `plan`, which has none. Sets
/// TriedGroup::kept of each, and returns the plan with the groups that are kept. All groups are
/// judged together: a group is dropped if its operators take longer with it, until none is dropped.
/// The number of plans therefore does not grow with the number of groups.
GraphPlan keep_faster_groups(const graph::Graph& graph, const Machine& machine,
                             const GroupPlanner& plan_with, GraphPlan plan,
                             std::vector<TriedGroup>& groups);

}  // namespace okksim::sim::planning
