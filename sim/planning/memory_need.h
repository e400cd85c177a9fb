// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/graph/graph.h"

namespace okksim::sim::planning {

/// Global memory that a graph takes at most, without a plan: kernels are not shared, and nothing
/// stays in local memory.
struct MemoryNeed {
    std::uint64_t constant_bytes = 0;
    std::uint64_t variable_bytes = 0;
    std::uint64_t working_bytes = 0;  ///< values that share memory over their lifetimes

    std::uint64_t bytes() const { return constant_bytes + variable_bytes + working_bytes; }
};

/// Of a validated graph. Pure, and takes some fifty bytes of host memory for a value.
MemoryNeed memory_need(const graph::Graph& graph);

}  // namespace okksim::sim::planning
