// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// Returns a hash of an operator's attributes, computed from their bytes in a file. Returns 0 for
/// operators without attributes, or whose attributes name blocks or variables.
std::uint64_t attribute_hash(const Graph& graph, const Operator& op);

}  // namespace okksim::sim::graph
