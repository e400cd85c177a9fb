// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/pointwise/pointwise.h"

namespace okksim::kernels {

/// A pointwise operator whose body float_body() knows, its followers included. Two operands
/// broadcast.
PointwiseOperator float_operator(const OperatorCall& call);
/// Carries it out.
void run_float_pointwise(const OperatorCall& call);

}  // namespace okksim::kernels
