// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/pointwise/pointwise_operator.h"
#include "kernels/pointwise/pointwise_plan.h"

namespace okksim::kernels {

/// Runs the operator by a plan that was made for it, or for one with the same operands that needs
/// no less memory. Returns true if the body reported a violation. Waits for the machine only if the
/// operator checks.
bool run_pointwise(const PointwiseOperator& op, const PointwisePlan& plan);

/// Issues the commands of the first `most` tiles. A single tile does not overlap with anything.
void run_tiles(const PointwiseOperator& op, const PointwisePlan& plan, std::int64_t most);

}  // namespace okksim::kernels
