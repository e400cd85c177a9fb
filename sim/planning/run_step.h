// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernels/layers/layer_plan.h"
#include "sim/planning/plan.h"

namespace okksim::sim::planning {

/// What was decided about a kLayers step.
const kernels::layers::LayerPlan& layer_plan_of(const Step& step);

/// Firmware: launches the kernel of a kKernel or kReorder step, whose decisions are taken, as part
/// of a command list where the step can be. The operator has a kernel of ours.
void run_step(const graph::Block& block, const Step& step,
              std::span<const kernels::DeviceTensor> slots);

}  // namespace okksim::sim::planning
