// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/operands.h"
#include "models/common/lane_pool.h"
#include "models/memory/local_memory.h"

namespace okksim::models {

/// bdc.half_conv2d on checked operands: execute_convolution() on operands made fp32, with channels
/// that add nothing up to a multiple of four; the result is rounded to its type. Operands that
/// overlap the output are read as they were before the command.
void execute_half_convolution(const isa::HalfConvolution& operands, LocalMemory& memory,
                              LanePool& pool);

/// bdc.half_depthwise2d likewise by execute_depthwise().
void execute_half_depthwise(const isa::HalfDepthwise& operands, LocalMemory& memory,
                            LanePool& pool);

}  // namespace okksim::models
