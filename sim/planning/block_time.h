// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sim/machine/machine.h"
#include "sim/planning/plan.h"

namespace okksim::sim::planning {

/// Returns the time in microseconds of the steps of a block on an idle machine. Commands of a step
/// are issued while earlier ones are in flight. Steps that depend on control flow, states or
/// run-time values are left out. Returns no value if a command is invalid. Uses the plan's
/// decisions and costs.
std::optional<double> block_microseconds(const graph::Graph& graph, const GraphPlan& plan,
                                         tosa::BlockReference reference, const Machine& machine);

}  // namespace okksim::sim::planning
