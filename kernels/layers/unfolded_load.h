// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/layers/layer_plan.h"

namespace okksim::kernels::layers {

/// Firmware: loads an unfolded part. Rows outside the feature map are zeros.
void load_unfolded(const LayerCall& call, const MapPart& part, const Lanes& lanes, local_addr_t to);

}  // namespace okksim::kernels::layers
