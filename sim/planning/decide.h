// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/machine/machine.h"
#include "sim/planning/plan.h"

namespace okksim::sim::planning {

/// Lets every kernel of a plan take its decisions (kernels/planning/decisions.h) and issue its
/// commands to a machine that only counts and times them: fills Step::decisions, Step::preparing,
/// GraphPlan::copies and GraphPlan::costs. Constants have their values; a kernel that reads another
/// one is left there.
void decide(const graph::Graph& graph, GraphPlan& plan, const Machine& machine);

}  // namespace okksim::sim::planning
