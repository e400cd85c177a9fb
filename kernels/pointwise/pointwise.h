// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/call/tensor.h"
#include "kernels/pointwise/pointwise_operator.h"
#include "kernels/pointwise/pointwise_run.h"

/// Operators whose output elements depend only on the input elements at the same (broadcast)
/// position. The engine cuts the iteration space into tiles, loads and stores them, and converts
/// between storage and words. All of this overlaps. An operator is a function on words in local
/// memory.
namespace okksim::kernels {

/// Runs the operator by the plan of the decision "tiles". For operators that do not depend on
/// values of an operand.
bool run_pointwise(const OperatorCall& call, const PointwiseOperator& op);

}  // namespace okksim::kernels
