// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::planning {

/// A line for every operator but constants, in order: block, operator, a number for its attributes,
/// who makes its operands, shapes of constants, shapes and types of its results:
/// "0.0 %5 = CONV2D#3f21a07c(%2, const 64x3x3x64, const 64): 1x56x56x64 fp32". The same for all
/// forms of a file: no name, no value of a constant.
std::vector<std::string> operators_of(const graph::Graph& graph);

}  // namespace okksim::sim::planning
