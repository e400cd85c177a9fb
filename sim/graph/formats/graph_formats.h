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

/// The formats that are read, in the order in which they are tried.
std::span<const GraphFormat> graph_formats();

/// Reads a graph file of any of graph_formats(), by its content. The file is mapped into memory,
/// and constants are views of it where the format stores their bytes, so that a large model takes
/// no second copy. The result is structurally sound (schedule.h) but not yet validated
/// (validate.h). Errors: ConfigError (file missing, a format that is known and not read),
/// GraphFileError (damaged or unknown file) and ProgramFault kIllegalGraph (cycles, values without
/// or with two producers).
Graph load_graph(const std::filesystem::path& path, const ReadOptions& options = {});

/// The same for bytes in memory. `owner` keeps `bytes` alive; `name` stands in messages.
Graph read_graph(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                 const std::string& name, const ReadOptions& options = {});

/// ConfigError when the graph has no input of such a name, or one of another shape: what a user
/// says of inputs (ReadOptions::input_shape) is true of every form.
void check_input_shapes(const Graph& graph, const std::map<std::string, Shape>& shapes);

}  // namespace okksim::sim::graph
