// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/planning/plan.h"
#include "sim/planning/value_uses.h"

namespace okksim::sim::planning {

/// Slots and steps of one block, without addresses. Pure.
BlockPlan plan_block(const graph::Block& block, const PlanOptions& options);

/// The step of a layer group; values that nobody else reads are not among its outputs.
Step layer_step(const graph::Block& block, const ValueUses& uses, const LayerGroup& group);

}  // namespace okksim::sim::planning
