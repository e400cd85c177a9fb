// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// An input or output whose elements are not of TOSA's types in files: unsigned, or of 64 bits.
const Tensor* find_special_elements(const Graph& graph);

/// Writes a graph in the form that the file's extension names: .tosa (TOSA 1.0 FlatBuffers) or
/// .mlir. Operators of texts keep their places ("net.mlir:12:5") as locations, in either form.
/// ConfigError for other extensions and files that cannot be written; ProgramFault kIllegalGraph
/// for a graph with something that its own form has and the other has not.
/// ConfigError for inputs and outputs that the form cannot say (find_special_elements).
void save_graph_as(Graph graph, const std::filesystem::path& path);

}  // namespace okksim::sim::graph
