// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/operands.h"
#include "models/common/lane_pool.h"
#include "models/memory/local_memory.h"

namespace okksim::models {

// Commands with windows on integers. All sources are read before anything is written.
void execute_int_convolution(const isa::IntConvolution& operands, LocalMemory& memory,
                             LanePool& pool);
void execute_int_depthwise(const isa::IntDepthwise& operands, LocalMemory& memory, LanePool& pool);
void execute_int_max_pool(const isa::IntMaxPool& operands, LocalMemory& memory, LanePool& pool);

}  // namespace okksim::models
