// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 sections 2.4 and 2.6: functions of one floating-point number.
#include "kernels/pointwise/float_pointwise.h"

namespace okksim::kernels {

/// ERF, SIGMOID, TANH, CEIL, COS, EXP, FLOOR, LOG, RECIPROCAL, RSQRT, SIN: in fp32 for every type.
void float_function_kernel(const OperatorCall& call) { run_float_pointwise(call); }

}  // namespace okksim::kernels
