// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// A number for the attributes of an operator, by the bytes that a file has of them: what differs
/// in an attribute has another one. 0: it has none, or names of blocks and variables.
std::uint64_t attribute_hash(const Graph& graph, const Operator& op);

}  // namespace okksim::sim::graph
