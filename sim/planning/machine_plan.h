// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/machine/machine.h"
#include "sim/planning/plan.h"

namespace okksim::sim::planning {

/// Global memory that graphs may use on a machine.
MemoryRange graph_memory(const Machine& machine);

/// Plans a validated graph for a machine. With `fuse`, operators share a kernel where dry runs
/// (dry_run.h) of both ways say that it takes less time on this machine: a shared kernel moves
/// fewer bytes, but its tiles are smaller. Errors as plan_graph().
GraphPlan plan_for_machine(const graph::Graph& graph, const Machine& machine, bool fuse = true);

}  // namespace okksim::sim::planning
