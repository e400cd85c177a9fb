// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "models/common/lane_pool.h"
#include "models/memory/local_memory.h"

namespace okksim::models {

// Packed fixed-point commands. 8-bit tensors hold batch elements 4m..4m+3 in a word (4N), 16-bit
// tensors 2m, 2m+1 (2N); strides count words. Results are exact integers, rounded half up by the
// right shift and saturated to the result's type unless said otherwise. Where the batch does not
// fill the last word, the bytes of missing elements are not written. All batch elements of a word
// (of four elements when widths differ) are read before any of them is written.

/// add, sub, C_sub, mul, max, min with tensor operands or a constant.
void execute_fixed(isa::Opcode opcode, const isa::FixedBinary& command, LocalMemory& memory,
                   LanePool& pool);
void execute_fixed(isa::Opcode opcode, const isa::FixedConstant& command, LocalMemory& memory,
                   LanePool& pool);
void execute_fixed(isa::Opcode opcode, const isa::FixedCompare& command, LocalMemory& memory,
                   LanePool& pool);
void execute_fixed(isa::Opcode opcode, const isa::FixedCompareConstant& command,
                   LocalMemory& memory, LanePool& pool);
/// (destination << lshift) + product, kept modulo 2^32 as a signed number, before the rounding
/// shift.
void execute_fixed(const isa::FixedMac& command, LocalMemory& memory, LanePool& pool);
void execute_fixed(const isa::FixedMacConstant& command, LocalMemory& memory, LanePool& pool);
/// 16-bit shifts: to the left bits drop off, to the right rounds down; amounts of 16 and more shift
/// everything out.
void execute_fixed(isa::Opcode opcode, const isa::FixedShift& command, LocalMemory& memory,
                   LanePool& pool);
void execute_fixed(isa::Opcode opcode, const isa::FixedShiftConstant& command, LocalMemory& memory,
                   LanePool& pool);
void execute_fixed(isa::Opcode opcode, const isa::FixedConstantShift& command, LocalMemory& memory,
                   LanePool& pool);
void execute_fixed(const isa::FixedMul16By8& command, LocalMemory& memory, LanePool& pool);
void execute_fixed(const isa::FixedSplitHigh& command, LocalMemory& memory, LanePool& pool);

}  // namespace okksim::models
