// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::planning {

/// A line for every operator but constants, in order: block, operator, who makes its operands,
/// shapes and types of its results: "0.0 %5 = CONV2D(%2, const, const): 1x56x56x64 fp32". The same
/// for all forms of a file: no name, no value of a constant.
std::vector<std::string> operators_of(const graph::Graph& graph);

}  // namespace okksim::sim::planning
