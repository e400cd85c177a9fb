// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sim/machine/machine.h"
#include "sim/planning/plan.h"

namespace okksim::sim::planning {

/// Microseconds that the steps of a block take one after the other on an idle machine, commands of
/// one step being issued while those before are under way. Nothing where control flow, states or
/// values of the run decide what happens. The plan's decisions are taken.
std::optional<double> block_microseconds(const graph::Graph& graph, const GraphPlan& plan,
                                         tosa::BlockReference reference, const Machine& machine);

}  // namespace okksim::sim::planning
