// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/machine/machine.h"
#include "sim/planning/memory_pile.h"

namespace okksim::sim::planning {

/// Returns the range of global memory that graphs may use on a machine.
MemoryRange graph_memory(const Machine& machine);

}  // namespace okksim::sim::planning
