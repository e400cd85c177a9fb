// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sim/machine/machine.h"
#include "sim/planning/plan.h"

namespace okksim::sim::planning {

/// Microseconds that the steps of a block take one after the other on an idle machine, commands of
/// one step being issued while those before are under way. Steps of which control flow, states or
/// values of the run decide what happens are left out; nothing where commands break a rule. The
/// plan's decisions and costs are taken.
std::optional<double> block_microseconds(const graph::Graph& graph, const GraphPlan& plan,
                                         tosa::BlockReference reference, const Machine& machine);

}  // namespace okksim::sim::planning
