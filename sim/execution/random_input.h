// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "sim/graph/graph.h"
#include "sim/graph/host_tensor.h"

namespace okksim::sim::execution {

/// Returns a tensor of seeded random values, the same on every host. 8-bit integers cover their
/// whole range, wider ones are between -128 and 127, and int4 between -7 and 7. Floating-point
/// magnitudes are between 1/16 and 1. Booleans are random.
graph::HostTensor random_input(graph::DType type, const graph::Shape& shape, std::uint64_t seed);

/// Returns random values for input `index` of a graph's main block. If operators use its elements
/// as indices, they are valid: rows of a table for GATHER, and different rows for SCATTER.
graph::HostTensor random_graph_input(const graph::Graph& graph, std::size_t index,
                                     std::uint64_t seed);

/// The seed of inputs without a value, unless a command has another one.
inline constexpr std::uint64_t kInputSeed = 1;

/// Values of the inputs of a graph's main block.
using InputValues = std::function<graph::HostTensor(std::size_t index)>;

/// Returns random_graph_input() with the seed kInputSeed. `graph` must outlive the function.
InputValues seeded_inputs(const graph::Graph& graph);

}  // namespace okksim::sim::execution
