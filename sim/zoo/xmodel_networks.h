// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::zoo {

/// Writes a zoo network as a .xmodel file with the operator names of existing files. Supports
/// floating-point convolutions, pools, CLAMP to [0, inf) or [0, 6], ADD and RESHAPE. ConfigError
/// for other operators.
std::vector<std::uint8_t> write_xmodel(const graph::Graph& graph);

}  // namespace okksim::sim::zoo
