// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// The graph as text of the MLIR dialects func and tosa, in generic form. Reading the text gives an
/// equal graph, except that names which MLIR does not allow are changed, and the version. Larger
/// constants are hexadecimal strings.
std::string write_mlir(const Graph& graph);

/// write_mlir into a file. ConfigError when it cannot be written.
void save_mlir(const Graph& graph, const std::filesystem::path& path);

}  // namespace okksim::sim::graph
