// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernels/layers/layer_plan.h"
#include "sim/planning/plan.h"

namespace okksim::sim::planning {

/// Returns the decision of a kLayers step.
const kernels::layers::LayerPlan& layer_plan_of(const Step& step);

/// Firmware: launches the kernel of a kKernel or kReorder step with its decisions. Uses a command
/// list if the step allows it. The operator must have a built-in kernel.
void run_step(const graph::Block& block, const Step& step,
              std::span<const kernels::DeviceTensor> slots);

}  // namespace okksim::sim::planning
