// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// The graph as the bytes of a .tosa file of version 1.0. Operators are written in their present
/// order. Reading the result gives an equal graph. The graph need not be legal; blocks that
/// control-flow operators refer to need names that are unique in their region.
std::vector<std::uint8_t> write_graph(const Graph& graph);

/// write_graph into a file. ConfigError when the file cannot be written.
void save_graph(const Graph& graph, const std::filesystem::path& path);

}  // namespace okksim::sim::graph
