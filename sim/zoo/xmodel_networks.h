// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::zoo {

/// A network of the zoo as a .xmodel file with the names of files in use: convolutions, pools,
/// CLAMP at 0 or at 0 and 6, ADD and RESHAPE, of floating-point types. ConfigError for others.
std::vector<std::uint8_t> write_xmodel(const graph::Graph& graph);

}  // namespace okksim::sim::zoo
