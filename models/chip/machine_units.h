// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/chip/machine_params.h"
#include "models/dram/built_in_memories.h"
#include "models/sequencer/sequencer.h"

namespace okksim::models {

/// Lists of the parts of a machine. The fast machine and the SystemC chip are built from these
/// lists, so another engine or memory is another entry.

/// Returns the GDMA engine, then the compute engines.
std::vector<EngineEntry> engine_entries(const MachineParams& params);

/// Returns the memories in the order of isa::MachineShape::memories(): global memory, whose
/// channels observers see, L2-SRAM, DTCM, then those of sections [memory.NAME].
std::vector<MemoryEntry> memory_entries(const MachineParams& params);

/// Returns the sequencer of the machine's engines.
Sequencer make_sequencer(const MachineParams& params);

}  // namespace okksim::models
