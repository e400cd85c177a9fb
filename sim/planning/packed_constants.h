// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "sim/machine/machine.h"
#include "sim/planning/plan.h"

namespace okksim::sim::planning {

/// Receives bytes of global memory.
using WriteBytes = std::function<void(std::uint64_t address, std::span<const std::byte> bytes)>;

/// Packs the constants of all steps on the host, as a compiler does, and passes them to `write` in
/// pieces. No simulated time passes.
void pack_constants(const graph::Graph& graph, const GraphPlan& plan, const WriteBytes& write);

/// Removes constants from global memory that all steps read only in packed form. Their addresses
/// are then outside the machine's memory, and only the host reads them there. All other values keep
/// their position in a DRAM channel, so that the times of transfers do not change. Throws
/// ProgramFault (kOutOfMemory) if the plan does not fit the machine.
void place_constants_once(const graph::Graph& graph, const Machine& machine, GraphPlan& plan);

/// Constants that the chip loads before the first run.
struct ConstantFile {
    std::uint64_t bytes = 0;   ///< of original and of packed constants
    std::uint64_t packed = 0;  ///< number of constants in packed form
};
ConstantFile constant_file(const graph::Graph& graph, const GraphPlan& plan);

}  // namespace okksim::sim::planning
