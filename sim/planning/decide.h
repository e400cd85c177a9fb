// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/machine/machine.h"
#include "sim/planning/plan.h"
#include "sim/pricing/known_memory.h"

namespace okksim::sim::planning {

class CallPlans;

/// What the plan's constants hold.
pricing::KnownMemory constants_of(const GraphPlan& plan);

/// Lets every kernel of a plan take its decisions (kernels/planning/decisions.h) and issue its
/// commands to a machine that only counts and times them: fills Step::decisions, Step::prepared,
/// GraphPlan::copies and GraphPlan::costs. Constants have their values; a kernel that reads another
/// one is left there.
void decide(const graph::Graph& graph, GraphPlan& plan, const Machine& machine);
/// The same; calls that have been planned for this machine are not planned again.
void decide(const graph::Graph& graph, GraphPlan& plan, const Machine& machine, CallPlans& calls);

}  // namespace okksim::sim::planning
