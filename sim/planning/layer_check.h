// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/types.h"
#include "kernels/layers/layer_plan.h"

namespace okksim::sim::planning {

/// Proves that the plan of a layer group is valid before it runs. Every command reads the intended
/// data, written in an earlier section or by an earlier command of the same engine. The engines'
/// accesses within a section do not overlap, and every result is stored. The proof does not use how
/// the plan was made. Throws InternalError with section and layer if the plan is invalid.
void check_layers(const kernels::layers::LayerCall& call, const kernels::layers::LayerPlan& plan,
                  const isa::MachineShape& machine);

}  // namespace okksim::sim::planning
