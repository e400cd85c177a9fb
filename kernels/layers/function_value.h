// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernels/layers/byte_program.h"

namespace okksim::kernels::layers {

/// Result that the commands of a function of bytes compute in fp32 from values of feature maps.
float function_value(const ByteProgram& program, std::span<const float> values);

}  // namespace okksim::kernels::layers
