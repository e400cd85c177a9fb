// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/planning/plan.h"

namespace okksim::sim::planning {

/// Microseconds that an operator takes in a plan without layer groups; nothing where that is not
/// known before the run.
using OperatorTime = std::function<std::optional<double>(const graph::Operator&)>;

/// Layer groups that are faster on the machine than their operators in kernels of their own: runs
/// of operators that can be layers, cut where local memory does not hold what lives at the same
/// time. `plan` is that of the graph without them.
std::vector<LayerGroup> choose_layer_groups(const graph::Graph& graph, const GraphPlan& plan,
                                            const Machine& machine, const OperatorTime& time);

}  // namespace okksim::sim::planning
