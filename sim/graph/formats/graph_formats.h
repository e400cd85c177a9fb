// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "sim/graph/graph_format.h"

namespace okksim::sim::graph {

/// Returns the supported formats in the order in which their probes run.
std::span<const GraphFormat> graph_formats();

/// Returns the format that read the graph; nullptr for a graph built in memory.
const GraphFormat* format_of(const Graph& graph);

/// Reads a graph file of any of graph_formats(), recognised by its content. The file is mapped into
/// memory. Constants are views of the file if the format stores their bytes, so a large model needs
/// no second copy. The result is structurally sound (schedule.h) but not yet validated
/// (validate.h). ConfigError for a missing file or a recognised format that is not supported.
/// GraphFileError for a damaged or unknown file. ProgramFault kIllegalGraph for cycles, and for
/// values with no producer or two.
Graph load_graph(const std::filesystem::path& path, const ReadOptions& options = {});

/// Reads a graph from memory. `owner` keeps `bytes` alive; messages contain `name`.
Graph read_graph(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                 const std::string& name, const ReadOptions& options = {});

/// ConfigError if the graph lacks an input of such a name, or if its shape differs. This enforces
/// ReadOptions::input_shape for every format.
void check_input_shapes(const Graph& graph, const std::map<std::string, Shape>& shapes);

}  // namespace okksim::sim::graph
