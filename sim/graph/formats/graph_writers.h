// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// Returns an input or output whose file elements TOSA has no type for (unsigned or 64-bit);
/// nullptr if none.
const Tensor* find_special_elements(const Graph& graph);

/// Writes a graph in the format of the file's extension: .tosa (TOSA 1.0 FlatBuffers) or .mlir.
/// Operators from a text keep their positions ("net.mlir:12:5") as locations. ConfigError for other
/// extensions, and for files that cannot be written. ConfigError for inputs and outputs that the
/// format cannot represent (find_special_elements). ProgramFault kIllegalGraph for a graph with a
/// feature that only its own format has.
void save_graph_as(Graph graph, const std::filesystem::path& path);

}  // namespace okksim::sim::graph
