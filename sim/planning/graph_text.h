// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::planning {

/// Returns a line for every operator except constants, in order. It has block, operator, a number
/// for the attributes, and the producers of the operands. Shapes of constants, and shapes and types
/// of results follow: "0.0 %5 = CONV2D#3f21a07c(%2, const 64x3x3x64, const 64): 1x56x56x64 fp32".
/// All forms of a file give the same lines, because names and values of constants are left out.
std::vector<std::string> operators_of(const graph::Graph& graph);

}  // namespace okksim::sim::planning
