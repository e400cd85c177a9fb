// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/operands.h"
#include "models/common/lane_pool.h"
#include "models/memory/local_memory.h"

namespace okksim::models {

/// Executes bdc.depthwise2d on checked operands. Product t of the window (kernel row, kernel
/// column) is rounded and added to accumulator t mod 2 in increasing t. The result is even + odd,
/// then + bias. Padding is a zero that is multiplied. Operands that overlap the output are read as
/// they were before the command.
void execute_depthwise(const isa::Depthwise& operands, LocalMemory& memory, LanePool& pool);

/// bdc.avg_pool2d: as depthwise2d with all weights 1 / (kernel_h * kernel_w), rounded to nearest.
void execute_average_pool(const isa::Pool& operands, LocalMemory& memory, LanePool& pool);

/// bdc.avg_pool2d_v2: as depthwise2d with all weights `scale`.
void execute_average_pool(const isa::PoolScaled& operands, LocalMemory& memory, LanePool& pool);

}  // namespace okksim::models
