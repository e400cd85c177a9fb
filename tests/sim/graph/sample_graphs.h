// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/graph/graph.h"

namespace okksim::tests {

/// Small legal graphs that together have every kind of thing a .tosa file can hold: all attribute
/// structs that matter to a reader, constants of packed types, shape values, several blocks,
/// captures, variables, custom operators.
std::vector<sim::graph::Graph> sample_graphs();

}  // namespace okksim::tests
