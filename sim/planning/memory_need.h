// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/graph/graph.h"

namespace okksim::sim::planning {

/// Upper bound of the global memory of a graph, without a plan. No kernels are shared, and no value
/// stays in local memory.
struct MemoryNeed {
    std::uint64_t constant_bytes = 0;
    std::uint64_t variable_bytes = 0;
    std::uint64_t working_bytes = 0;  ///< values; those with disjoint lifetimes share memory

    std::uint64_t bytes() const { return constant_bytes + variable_bytes + working_bytes; }
};

/// Returns the need of a validated graph. Pure. Uses about fifty bytes of host memory per value.
MemoryNeed memory_need(const graph::Graph& graph);

}  // namespace okksim::sim::planning
