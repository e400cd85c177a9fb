// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "models/memory/local_memory.h"
#include "models/memory/system_memory.h"

namespace okksim::models {

/// Carries out one checked GDMA command. Overlapping source and destination: elements are moved in
/// ascending (n, c, h, w) order. Throws ProgramFault (kBadAddress) when a system range is outside
/// every memory; nothing is written then.
void execute_gdma(const isa::Command& command, LocalMemory& local, SystemMemory& system);

}  // namespace okksim::models
