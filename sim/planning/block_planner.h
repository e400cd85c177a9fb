// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/planning/plan.h"

namespace okksim::sim::planning {

/// Slots and steps of one block, without addresses. Pure.
BlockPlan plan_block(const graph::Block& block, const PlanOptions& options);

}  // namespace okksim::sim::planning
