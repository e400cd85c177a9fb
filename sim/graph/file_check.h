// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tosa_v1_generated.h"

namespace okksim::sim::graph {

/// Checks that `bytes` is a well-formed FlatBuffer of the schema tosa_v1.fbs: every offset, vector,
/// string and table that a reader can reach lies inside the buffer, and the work that reading takes
/// is in proportion to the size of the file (tables and strings that are referred to over and over
/// are refused). Does not look at versions, names or meanings. GraphFileError names the table.
const wire::TosaGraph& check_graph_file(std::span<const std::byte> bytes, const std::string& file);

}  // namespace okksim::sim::graph
