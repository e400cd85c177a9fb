// SPDX-License-Identifier: Apache-2.0
#include "kernels/pointwise/pointwise.h"

#include "kernels/planning/decisions.h"
#include "kernels/pointwise/pointwise_planner.h"

namespace okksim::kernels {

bool run_pointwise(const OperatorCall& call, const PointwiseOperator& op) {
    return run_pointwise(
        op, call.decisions->take("tiles", [&](Host& host) { return plan_pointwise(op, host); }));
}

}  // namespace okksim::kernels
