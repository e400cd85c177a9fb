// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// Returns the graph as text of the MLIR dialects func and tosa, in generic form. Reading the text
/// gives an equal graph, except for the version and names that MLIR does not permit. Larger
/// constants are hexadecimal strings.
std::string write_mlir(const Graph& graph);

/// Writes the text of write_mlir() to a file. ConfigError if the file cannot be written.
void save_mlir(const Graph& graph, const std::filesystem::path& path);

}  // namespace okksim::sim::graph
