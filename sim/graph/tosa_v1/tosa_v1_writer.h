// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// Returns the graph as the bytes of a .tosa file of version 1.0, with the operators in their
/// current order. Reading the result gives an equal graph. The graph may be illegal, but blocks
/// that control-flow operators refer to need unique names in their region.
std::vector<std::uint8_t> write_graph(const Graph& graph);

/// Writes the bytes of write_graph() to a file. ConfigError if the file cannot be written.
void save_graph(const Graph& graph, const std::filesystem::path& path);

}  // namespace okksim::sim::graph
