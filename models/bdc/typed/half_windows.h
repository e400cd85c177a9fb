// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/operands.h"
#include "models/common/lane_pool.h"
#include "models/memory/local_memory.h"

namespace okksim::models {

/// Executes bdc.half_conv2d on checked operands: execute_convolution() on operands converted to
/// fp32. Channels that add nothing fill up to a multiple of four. The result is rounded to its
/// type. Operands that overlap the output are read as they were before the command.
void execute_half_convolution(const isa::HalfConvolution& operands, LocalMemory& memory,
                              LanePool& pool);

/// Executes bdc.half_depthwise2d likewise with execute_depthwise().
void execute_half_depthwise(const isa::HalfDepthwise& operands, LocalMemory& memory,
                            LanePool& pool);

}  // namespace okksim::models
