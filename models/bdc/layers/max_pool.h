// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/operands.h"
#include "models/common/lane_pool.h"
#include "models/memory/local_memory.h"

namespace okksim::models {

/// bdc.max_pool2d on checked operands: from -FLT_MAX, replaced by every larger input in the order
/// kernel row, kernel column. NaN is ignored, -inf gives -FLT_MAX and of two zeros the first
/// stays; denormal inputs count as zeros of their sign; padding is -FLT_MAX. Operands that overlap
/// the output are read as they were before.
void execute_max_pool(const isa::Pool& operands, LocalMemory& memory, LanePool& pool);

}  // namespace okksim::models
