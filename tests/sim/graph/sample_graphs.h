// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/graph/graph.h"

namespace okksim::tests {

/// Small legal graphs that together cover all contents of a .tosa file. They have all attribute
/// structs that matter to a reader, constants of packed types and shape values. They also have
/// several blocks, captures, variables and custom operators.
std::vector<sim::graph::Graph> sample_graphs();

}  // namespace okksim::tests
