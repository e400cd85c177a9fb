// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// Reads a TOSA 1.0 graph file. The file is mapped into memory and constants are views of it, so a
/// large model takes no second copy. The result is structurally sound (schedule.h) but not yet
/// validated (validate.h).
/// Errors: ConfigError (file missing), GraphFileError (damaged file, other version) and
/// ProgramFault kIllegalGraph (cycles, values without or with two producers).
Graph load_graph(const std::filesystem::path& path);

/// The same for bytes in memory. `owner` keeps `bytes` alive; `name` stands in messages.
Graph read_graph(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                 const std::string& name);

}  // namespace okksim::sim::graph
