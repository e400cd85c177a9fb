// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/layers/layer_plan.h"

/// Pieces of firmware that groups of layers consist of; planners price them.
namespace okksim::kernels::layers {

/// Bytes per lane of the weights of so many channels of a convolution.
std::int64_t weight_bytes(const Layer& layer, std::int32_t channels, const Lanes& lanes);

/// Scratch bytes per lane that a part of a layer takes.
std::int64_t scratch_bytes(const LayerCall& call, const LayerPlan& plan, const Layer& layer,
                           const LayerWork& work);

void run_transfer(const LayerCall& call, const LayerPlan& plan, const LayerTransfer& transfer);
void run_work(const LayerCall& call, const LayerPlan& plan, const LayerWork& work);
/// In sections 0 and 1.
void load_packed_constants(const LayerCall& call, const LayerPlan& plan, std::size_t section);

}  // namespace okksim::kernels::layers
