// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "isa/command.h"
#include "models/common/units.h"
#include "models/gdma/gdma_params.h"

namespace okksim::models {

/// What a GDMA command asks of its own port and of the memories.
struct GdmaCost {
    Cycles setup;
    Cycles transfer;  ///< limited by pieces and by the engine's ports
    std::uint64_t bytes = 0;                      ///< payload moved
    std::uint64_t pieces = 0;                     ///< contiguous runs on the slower side
    std::optional<std::uint64_t> read_address;    ///< system side that is read, if any
    std::optional<std::uint64_t> write_address;   ///< system side that is written, if any
    Cycles total() const { return setup + transfer; }
};

/// Prices one checked GDMA command, before contention. Laws in models/gdma/README.md.
GdmaCost gdma_cost(const isa::Command& command, const isa::MachineShape& machine,
                   const GdmaParams& params);

}  // namespace okksim::models
