// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/pool/pool_plan.h"

namespace okksim::kernels {

/// Firmware: the first `most` steps of a plan.
void run_pool_steps(const PoolOperator& op, const PoolPlan& plan, std::int64_t most);
/// Firmware: runs all steps. Returns true if the combiner checks and found a violation.
bool run_pool(const PoolOperator& op, const PoolPlan& plan);

}  // namespace okksim::kernels
