// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "models/common/lane_pool.h"
#include "models/memory/local_memory.h"
#include "models/memory/system_memory.h"

namespace okksim::models {

/// Memories that commands act on, and host threads that carry them out.
struct ChipState {
    LocalMemory& local;
    SystemMemory& system;
    LanePool& pool;
};

/// Applies the effect of a checked command, by its kind of engine. Throws the exceptions of the
/// semantics: ProgramFault for system ranges outside every memory.
void execute(const isa::Command& command, const ChipState& state);

}  // namespace okksim::models
