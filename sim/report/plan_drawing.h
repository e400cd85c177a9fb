// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/machine/machine.h"
#include "sim/planning/plan.h"

namespace okksim::sim::report {

/// Local memory over time as an SVG picture: a panel for every layer group of the main block, bytes
/// of a lane upwards, sections to the right; a box is a map, weights, scratch or constants from
/// when it is needed to when it no longer is, with name, bytes and sections as its title. A text
/// instead where there are no groups.
std::string plan_svg(const graph::Graph& graph, const planning::GraphPlan& plan,
                     const Machine& machine);

}  // namespace okksim::sim::report
