// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/planning/host.h"
#include "kernels/pool/pool_plan.h"

namespace okksim::kernels {

/// Planner: the fastest tiles and orders.
PoolPlan plan_pool(const PoolOperator& op, Host& host);
/// All plans that plan_pool() chooses from.
std::vector<PoolPlan> pool_candidates(const PoolOperator& op, const isa::MachineShape& machine);

}  // namespace okksim::kernels
