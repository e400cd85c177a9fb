// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/call/constant_memory.h"
#include "kernels/conv/byte_block.h"
#include "kernels/layers/layer_plan.h"

/// Layers on feature maps of fp16 or bf16: constants and commands.
namespace okksim::kernels::layers {

/// Layout in every lane of the constants of some or all output channels: biases as words, then
/// weights. A convolution has four input channels side by side.
conv::ByteBlock half_block(const Layer& layer, const conv::Range& channels, const Lanes& lanes);
/// Returns the bytes of a block, one lane after the other.
std::vector<unsigned char> packed_half_block(const LayerCall& call, const Layer& layer,
                                             const conv::ByteBlock& block, const Lanes& lanes,
                                             const ConstantMemory& memory);

/// Scratch bytes per lane that a part of a layer takes.
std::int64_t half_scratch_bytes(const LayerCall& call, const Layer& layer, const LayerWork& work,
                                const Lanes& lanes);
/// Firmware: issues the commands of a part of a layer, whose constants begin at `constants`.
void run_half(const LayerCall& call, const LayerPlan& plan, const Layer& layer,
              const LayerWork& work, local_addr_t constants);

}  // namespace okksim::kernels::layers
