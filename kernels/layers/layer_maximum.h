// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/layers/layer_plan.h"
#include "kernels/prim/local_tensor.h"

namespace okksim::kernels::layers {

/// Scratch bytes per lane that MAX_POOL2D needs for a part of its channels.
std::int64_t maximum_scratch_bytes(const Layer& layer, const LayerWork& work, const Lanes& lanes);

/// Firmware: runs MAX_POOL2D on the channels of one image.
void find_maxima(const Layer& layer, const LayerWork& work, const prim::LocalTensor& source,
                 const prim::LocalTensor& dst, const Lanes& lanes);

}  // namespace okksim::kernels::layers
