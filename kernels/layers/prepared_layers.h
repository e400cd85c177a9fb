// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/call/constant_memory.h"
#include "kernels/layers/layer_plan.h"

namespace okksim::kernels::layers {

/// Writes the LayerPlan::prepared_bytes() of a group's constants to call.prepared. A pure function
/// of the constants' bytes and the plan.
void prepare_layers(const LayerCall& call, const LayerPlan& plan, const ConstantMemory& memory);

/// Returns the indices of values that the group reads from global memory only in prepared form.
std::vector<int> values_only_prepared(const LayerCall& call, const LayerPlan& plan);

}  // namespace okksim::kernels::layers
