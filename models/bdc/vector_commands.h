// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "models/common/lane_pool.h"
#include "models/memory/local_memory.h"

namespace okksim::models {

// Element-wise commands on 32-bit elements. The opcode must be one of the form's. Sources may have
// any strides, 0 included. Where source and destination overlap, elements are computed in ascending
// (n, c, h, w) order, each from memory as the earlier ones left it.

void execute_vector(isa::Opcode opcode, const isa::VectorBinary& command, LocalMemory& memory,
                    LanePool& pool);
void execute_vector(isa::Opcode opcode, const isa::VectorBinarySelect& command, LocalMemory& memory,
                    LanePool& pool);
void execute_vector(isa::Opcode opcode, const isa::VectorConstant& command, LocalMemory& memory,
                    LanePool& pool);
void execute_vector(isa::Opcode opcode, const isa::VectorConstantBits& command, LocalMemory& memory,
                    LanePool& pool);
void execute_vector(isa::Opcode opcode, const isa::VectorShiftConstant& command,
                    LocalMemory& memory, LanePool& pool);
void execute_vector(isa::Opcode opcode, const isa::VectorConstantShift& command,
                    LocalMemory& memory, LanePool& pool);
void execute_vector(isa::Opcode opcode, const isa::VectorConstantSelect& command,
                    LocalMemory& memory, LanePool& pool);
void execute_vector(isa::Opcode opcode, const isa::VectorUnary& command, LocalMemory& memory,
                    LanePool& pool);
void execute_vector(isa::Opcode opcode, const isa::VectorSeries& command, LocalMemory& memory,
                    LanePool& pool);
void execute_vector(const isa::VectorSet& command, LocalMemory& memory, LanePool& pool);
void execute_vector(const isa::VectorBias& command, LocalMemory& memory, LanePool& pool);
void execute_vector(const isa::VectorScale& command, LocalMemory& memory, LanePool& pool);
void execute_vector(const isa::VectorScaleBias& command, LocalMemory& memory, LanePool& pool);

}  // namespace okksim::models
