// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/conv/block_transfer.h"
#include "kernels/layers/layer_plan.h"

/// Firmware of layer groups in pieces that planners can price.
namespace okksim::kernels::layers {

/// Bytes per lane of the weights of `channels` output channels of a convolution.
std::int64_t weight_bytes(const Layer& layer, std::int32_t channels, const Lanes& lanes);

/// Scratch bytes per lane that a part of a layer needs.
std::int64_t scratch_bytes(const LayerCall& call, const LayerPlan& plan, const Layer& layer,
                           const LayerWork& work);

/// Block of the weights [OC, KH, KW, IC] of some channels, tap by tap with their input channels
/// side by side.
conv::BlockTransfer weights_block(const Layer& layer, const DeviceTensor& weights,
                                  const conv::Range& channels, const Lanes& lanes);

void run_transfer(const LayerCall& call, const LayerPlan& plan, const LayerTransfer& transfer);
void run_work(const LayerCall& call, const LayerPlan& plan, const LayerWork& work);
/// Loads the packed constants of section 0 (first work) or 1 (the others).
void load_packed_constants(const LayerCall& call, const LayerPlan& plan, std::size_t section);

}  // namespace okksim::kernels::layers
