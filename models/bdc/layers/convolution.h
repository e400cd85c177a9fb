// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/operands.h"
#include "models/common/lane_pool.h"
#include "models/memory/local_memory.h"

namespace okksim::models {

/// Executes bdc.conv2d on checked operands. Product i has i = tap * ICp + c (taps in order kernel
/// row, kernel column; ICp: input channels rounded up to even). Each product is rounded and added
/// to accumulator i mod 4 in increasing i. The result is (a0 + a2) + (a1 + a3), then + bias, then +
/// the old output. A missing odd channel adds nothing; padding is a zero that is multiplied.
/// Operands that overlap the output are read as they were before the command.
void execute_convolution(const isa::Convolution& operands, LocalMemory& memory, LanePool& pool);

}  // namespace okksim::models
