// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/chip/machine_params.h"
#include "models/dram/built_in_memories.h"
#include "models/sequencer/sequencer.h"

namespace okksim::models {

/// What a machine consists of, as lists. Whoever builds one, the fast machine or the SystemC chip,
/// goes through them: another engine or memory is another entry.

/// The data mover, then the compute engines.
std::vector<EngineEntry> engine_entries(const MachineParams& params);

/// Global memory, whose channels observers see, L2-SRAM, DTCM, then those of sections
/// [memory.NAME]: in the order of isa::MachineShape::memories().
std::vector<MemoryEntry> memory_entries(const MachineParams& params);

/// The sequencer of the machine's engines.
Sequencer make_sequencer(const MachineParams& params);

}  // namespace okksim::models
