// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/operands.h"
#include "models/common/lane_pool.h"
#include "models/memory/local_memory.h"

namespace okksim::models {

/// bdc.matmul on checked operands: product k, rounded, is added to accumulator k mod 2 in
/// increasing k; the result is a0 + a1, then + bias, then + the old output. All
/// columns of the last channel are computed, of whatever memory holds there. Operands that overlap
/// the output are read as they were before the command.
void execute_matmul(const isa::MatrixMultiply& operands, LocalMemory& memory, LanePool& pool);

}  // namespace okksim::models
