// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "firmware/okk_features.h"
#include "kernels/tosa/tosa_types.h"

namespace okksim::kernels {

using HalfFunction = decltype(&okk_bdc_half_add);

/// The command for an element-wise operator on fp16 or bf16 (group half_mac); nullptr where there
/// is none.
HalfFunction half_function(tosa::OpCode op);

}  // namespace okksim::kernels
