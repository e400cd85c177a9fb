// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor.h"

namespace okksim::kernels {

/// Carries out a pointwise operator whose body float_body() knows, its followers included. Two
/// operands broadcast.
void run_float_pointwise(const OperatorCall& call);

}  // namespace okksim::kernels
