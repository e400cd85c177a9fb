// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/graph_memory.h"

#include "models/chip/memory_params.h"

namespace okksim::sim::planning {

MemoryRange graph_memory(const Machine& machine) {
    const isa::MachineShape shape = machine.params.shape();
    const auto reserved = static_cast<std::uint64_t>(machine.params.global->reserved_bytes);
    return {shape.global_start + reserved, shape.global_bytes - reserved};
}

}  // namespace okksim::sim::planning
