// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "models/common/lane_pool.h"
#include "models/memory/local_memory.h"
#include "models/memory/system_memory.h"

namespace okksim::models {

/// What commands have their effect on, and host threads to carry it out.
struct ChipState {
    LocalMemory& local;
    SystemMemory& system;
    LanePool& pool;
};

/// The effect of a checked command, by its kind of engine. Throws what the semantics throw:
/// ProgramFault for system ranges outside every memory.
void execute(const isa::Command& command, const ChipState& state);

}  // namespace okksim::models
