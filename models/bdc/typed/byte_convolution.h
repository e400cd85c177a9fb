// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/operands.h"
#include "models/common/lane_pool.h"
#include "models/memory/local_memory.h"

namespace okksim::models {

/// Whether inputs, padding among them, are bytes.
bool is_byte_convolution(const isa::IntConvolution& form);

/// Such a convolution by products of bytes (byte_products.h). All sources are read before anything
/// is written.
void execute_byte_convolution(const isa::IntConvolution& form, LocalMemory& memory, LanePool& pool);

}  // namespace okksim::models
