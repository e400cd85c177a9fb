// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/machine/machine.h"
#include "sim/planning/plan.h"

namespace okksim::sim::report {

/// Returns an SVG picture of local memory over time, with a panel for every layer group of the main
/// block. The vertical axis is bytes of a lane, the horizontal axis is sections. A box is the live
/// range of a feature map, weights, scratch or constants; its title has name, bytes and sections.
/// Without groups, the picture is a text.
std::string plan_svg(const graph::Graph& graph, const planning::GraphPlan& plan,
                     const Machine& machine);

}  // namespace okksim::sim::report
