// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/conv/byte_block.h"
#include "kernels/layers/layer_plan.h"

/// Layers on packed maps: constants, and the commands of those of int8.
namespace okksim::kernels::layers {

/// The constants of some output channels, or of all, as they lie in every lane: biases, factors and
/// weights of a convolution; a table. What those of halves are, half_run.h says.
conv::ByteBlock native_block(const Layer& layer, const conv::Range& channels, const Lanes& lanes);

/// Planner: gives the constants of all works their places behind what is prepared.
void place_native_constants(LayerPlan& plan);
/// Firmware: makes them there.
void prepare_native_constants(const LayerCall& call, const LayerPlan& plan);
/// Firmware: brings those of some channels to local memory.
void load_native_constants(const LayerCall& call, const LayerPlan& plan, const Layer& layer,
                           const conv::Range& channels, local_addr_t to);

/// Scratch bytes per lane that a part of a layer takes.
std::int64_t native_scratch_bytes(const LayerCall& call, const Layer& layer, const LayerWork& work,
                                  const Lanes& lanes);
/// Firmware: the commands of a part of a layer.
void run_native(const LayerCall& call, const LayerPlan& plan, const Layer& layer,
                const LayerWork& work);

}  // namespace okksim::kernels::layers
