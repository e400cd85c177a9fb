// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "isa/command.h"
#include "models/common/command_times.h"
#include "models/dram/memory_system.h"

namespace okksim::models {

struct GdmaParams;

/// Payload and memory requests of a GDMA command.
struct GdmaTransfer {
    std::uint64_t bytes = 0;  ///< payload
    bool reads_local = false;
    std::optional<MemoryRequest> read;   ///< of a system memory
    std::optional<MemoryRequest> write;  ///< to one; nothing: local memory
};
/// Returns the transfer of a checked command.
GdmaTransfer gdma_transfer(const isa::Command& command, const isa::MachineShape& machine);

/// Demand of a GDMA command on the engine and the memories. The command takes setup + max(port,
/// time of the memories + overhead).
struct GdmaCost {
    Cycles setup;
    Cycles port;               ///< all bytes through the narrowest of the engine's own ports
    Cycles overhead;           ///< handling of the pieces, on top of the memories' time
    std::uint64_t bytes = 0;   ///< payload moved
    std::uint64_t pieces = 0;  ///< runs that are contiguous on every side
    std::optional<MemoryRequest> read;
    std::optional<MemoryRequest> write;
};

/// Returns the cost of one checked GDMA command, without contention. A pure function of its
/// operands; its host time is independent of the size. Cost model: models/gdma/README.md.
GdmaCost gdma_cost(const isa::Command& command, const isa::MachineShape& machine,
                   const GdmaParams& params);

/// Returns the time of a command that starts at `start`, after the memories have replied. The
/// slower of port and memories decides; the result has the time by cause.
CommandCost gdma_time(const GdmaCost& cost, const Clock& clock, Picoseconds start,
                      const std::optional<MemoryReply>& read,
                      const std::optional<MemoryReply>& write);

/// Returns the time of a checked command. The memories' replies to its accesses count from the end
/// of its set-up.
CommandCost gdma_time(const isa::Command& command, const isa::MachineShape& machine,
                      const GdmaParams& params, const Clock& clock, Picoseconds start,
                      MemorySystem& memories);

}  // namespace okksim::models
