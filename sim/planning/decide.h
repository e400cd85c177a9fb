// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/machine/machine.h"
#include "sim/planning/plan.h"
#include "sim/pricing/known_memory.h"

namespace okksim::sim::planning {

class CallPlans;

/// Returns the contents of the plan's constants.
pricing::KnownMemory constants_of(const GraphPlan& plan);

/// Lets every kernel of a plan take its decisions (kernels/planning/decisions.h) and issues its
/// commands to a machine that counts and times them. Fills Step::decisions, Step::prepared,
/// GraphPlan::copies and GraphPlan::costs. Only constants have values: a kernel that reads another
/// value stops there.
void decide(const graph::Graph& graph, GraphPlan& plan, const Machine& machine);
/// Reuses the plans in `calls`, which must be for this machine, and adds new ones.
void decide(const graph::Graph& graph, GraphPlan& plan, const Machine& machine, CallPlans& calls);

}  // namespace okksim::sim::planning
