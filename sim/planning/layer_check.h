// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/types.h"
#include "kernels/layers/layer_plan.h"

namespace okksim::sim::planning {

/// Proves a plan of a layer group before it runs: everything that a command reads of local memory
/// is what was meant and has been written in an earlier section or by an earlier command of the
/// same engine, what both engines touch in one section does not meet, and every result arrives.
/// Knows nothing of how the plan was made. InternalError that names section and layer otherwise.
void check_layers(const kernels::layers::LayerCall& call, const kernels::layers::LayerPlan& plan,
                  const isa::MachineShape& machine);

}  // namespace okksim::sim::planning
