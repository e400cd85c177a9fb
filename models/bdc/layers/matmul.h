// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/operands.h"
#include "models/common/lane_pool.h"
#include "models/memory/local_memory.h"

namespace okksim::models {

/// Executes bdc.matmul on checked operands. Product k is rounded and added to accumulator k mod 2
/// in increasing k. The result is a0 + a1, then + bias, then + the old output. All columns of the
/// last channel are computed, even from memory beyond the matrix. Operands that overlap the output
/// are read as they were before the command.
void execute_matmul(const isa::MatrixMultiply& operands, LocalMemory& memory, LanePool& pool);

}  // namespace okksim::models
