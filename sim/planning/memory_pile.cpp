// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/memory_pile.h"

#include <fmt/format.h>

#include "isa/base/fault.h"
#include "sim/planning/memory_plan.h"

namespace okksim::sim::planning {

std::uint64_t MemoryPile::take(std::uint64_t bytes) {
    const std::uint64_t address = end();
    used_ += place_bytes(bytes);
    return address;
}

void MemoryPile::check() const {
    if (used_ <= memory_.bytes) return;
    throw ProgramFault({.code = FaultCode::kOutOfMemory,
                        .function = "graph",
                        .argument = "global memory",
                        .value = fmt::format("{} bytes", used_),
                        .rule = fmt::format("the machine has {} bytes for graphs", memory_.bytes),
                        .advice = "raise global.bytes in the machine file or use a smaller batch",
                        .unit = "graph",
                        .call_stack = {}});
}

}  // namespace okksim::sim::planning
