// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/pointwise.h"

namespace okksim::kernels {

/// The pointwise operator of a call whose body float_body() knows, its followers included. Two
/// operands broadcast.
PointwiseOperator float_pointwise(const OperatorCall& call);
/// Carries it out.
void run_float_pointwise(const OperatorCall& call);

}  // namespace okksim::kernels
