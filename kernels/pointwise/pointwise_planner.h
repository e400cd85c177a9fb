// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/planning/host.h"
#include "kernels/pointwise/pointwise_operator.h"
#include "kernels/pointwise/pointwise_plan.h"

namespace okksim::kernels {

/// Planner: the fastest tiles, buffers and conversions between storage and words. Commands of
/// `op.body` may depend only on known values. InternalError if the smallest tile does not fit.
PointwisePlan plan_pointwise(const PointwiseOperator& op, Host& host);
/// All plans that plan_pointwise() chooses from.
std::vector<PointwisePlan> pointwise_candidates(const PointwiseOperator& op,
                                                const isa::MachineShape& machine);

}  // namespace okksim::kernels
