// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/planning/plan.h"
#include "sim/planning/value_uses.h"

namespace okksim::sim::planning {

/// Returns slots and steps of one block, without addresses. Pure.
BlockPlan plan_block(const graph::Block& block, const PlanOptions& options);

/// Returns the step of a layer group. Values without readers outside the group are not among its
/// outputs.
Step layer_step(const graph::Block& block, const ValueUses& uses, const LayerGroup& group);

}  // namespace okksim::sim::planning
