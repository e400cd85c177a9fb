// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "isa/command.h"
#include "models/common/command_times.h"
#include "models/dram/memory_system.h"
#include "models/gdma/gdma_params.h"

namespace okksim::models {

/// Where a GDMA command moves what.
struct GdmaTransfer {
    std::uint64_t bytes = 0;  ///< payload
    bool reads_local = false;
    std::optional<MemoryRequest> read;   ///< of a system memory
    std::optional<MemoryRequest> write;  ///< to one; nothing: local memory
};
/// Of a checked command.
GdmaTransfer gdma_transfer(const isa::Command& command, const isa::MachineShape& machine);

/// What a GDMA command asks of the data mover and of the memories. The command takes
/// setup + max(port, time of the memories + overhead).
struct GdmaCost {
    Cycles setup;
    Cycles port;               ///< all bytes through the narrowest of the engine's own ports
    Cycles overhead;           ///< handling of the pieces, on top of the memories' time
    std::uint64_t bytes = 0;   ///< payload moved
    std::uint64_t pieces = 0;  ///< runs that are contiguous on every side
    std::optional<MemoryRequest> read;
    std::optional<MemoryRequest> write;
};

/// Prices one checked GDMA command, before contention. A pure function of its operands that takes
/// the same time for every size. Laws in models/gdma/README.md.
GdmaCost gdma_cost(const isa::Command& command, const isa::MachineShape& machine,
                   const GdmaParams& params);

/// Time of a command that starts at `start`, once the memories have replied to its accesses: which
/// of port and memories is slower, and what the time goes into.
CommandCost gdma_time(const GdmaCost& cost, const Clock& clock, Picoseconds start,
                      const std::optional<MemoryReply>& read,
                      const std::optional<MemoryReply>& write);

/// The same for a checked command, with the memories' replies to its accesses once it is set up.
CommandCost gdma_time(const isa::Command& command, const isa::MachineShape& machine,
                      const GdmaParams& params, const Clock& clock, Picoseconds start,
                      MemorySystem& memories);

}  // namespace okksim::models
