// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/graph.h"
#include "sim/planning/memory_pile.h"
#include "sim/planning/plan.h"

namespace okksim::sim::planning {

/// Plans a validated graph: shared kernels, the storage order of every value, copies between
/// orders, and addresses by live range. Feature maps of convolutions and pools stay channel first.
/// Throws ProgramFault kOutOfMemory, which names the needed bytes, if values and variables need
/// more than `memory`; place_constants_once() checks the whole plan. Pure: the plan depends on the
/// arguments alone. The plan cannot run before decide() adds the kernels' decisions for a machine
/// (decide.h).
GraphPlan plan_graph(const graph::Graph& graph, const MemoryRange& memory,
                     const PlanOptions& options = {});

}  // namespace okksim::sim::planning
