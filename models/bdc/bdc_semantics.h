// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "models/common/lane_pool.h"
#include "models/memory/local_memory.h"

namespace okksim::models {

/// Carries out one checked BDC command on local memory. The result depends only on the command and
/// the memory: not on the host's SIMD width, the thread count or the calling thread's
/// floating-point mode. Arithmetic flushes denormals on input and output; an arithmetic result that
/// is NaN is the quiet NaN 0x7FC00000. Definitions: isa/ISA.md.
void execute_bdc(const isa::Command& command, LocalMemory& memory, LanePool& pool);

}  // namespace okksim::models
