// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/graph/graph.h"
#include "sim/graph/host_tensor.h"

namespace okksim::sim::execution {

/// A tensor of seeded random values, the same on every host: 8-bit integers over their whole range,
/// wider ones between -128 and 127, int4 between -7 and 7, booleans, and floating point between
/// 1/16 and 1 in magnitude.
graph::HostTensor random_input(graph::DType type, const graph::Shape& shape, std::uint64_t seed);

/// The same for input `index` of a graph's main block, with values that the operators which take it
/// as places can use: rows of a table for GATHER, a row of its own for each place of SCATTER.
graph::HostTensor random_graph_input(const graph::Graph& graph, std::size_t index,
                                     std::uint64_t seed);

}  // namespace okksim::sim::execution
