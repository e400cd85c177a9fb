// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/conv/byte_block.h"
#include "kernels/layers/layer_plan.h"

/// Layers on packed feature maps: constants, and the int8 commands.
namespace okksim::kernels::layers {

/// Layout in every lane of the constants of some or all output channels. A convolution has biases,
/// factors and weights; a table layer has its table. half_run.h describes those of fp16 and bf16.
conv::ByteBlock native_block(const Layer& layer, const conv::Range& channels, const Lanes& lanes);

/// A layer's weights and biases as those of a convolution, without addresses.
conv::Problem native_problem(const Layer& layer, const LayerCall& call);

/// Planner: assigns offsets in prepared memory to the constants of all works.
void place_native_constants(LayerPlan& plan);
/// Firmware: loads the constants of some channels to local memory.
void load_native_constants(const LayerCall& call, const LayerPlan& plan, const Layer& layer,
                           const conv::Range& channels, local_addr_t to);

/// Scratch bytes per lane that a part of a layer needs.
std::int64_t native_scratch_bytes(const LayerCall& call, const Layer& layer, const LayerWork& work,
                                  const Lanes& lanes);
/// Firmware: issues the commands of a part of a layer.
void run_native(const LayerCall& call, const LayerPlan& plan, const Layer& layer,
                const LayerWork& work);

}  // namespace okksim::kernels::layers
