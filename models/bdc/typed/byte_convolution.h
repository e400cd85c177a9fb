// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/operands.h"
#include "models/common/lane_pool.h"
#include "models/memory/local_memory.h"

namespace okksim::models {

/// True if inputs and padding are bytes.
bool is_byte_convolution(const isa::IntConvolution& form);

/// Executes such a convolution with products of bytes (byte_products.h). All sources are read
/// before the first write.
void execute_byte_convolution(const isa::IntConvolution& form, LocalMemory& memory, LanePool& pool);

}  // namespace okksim::models
