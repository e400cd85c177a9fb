// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/own_work.h"

#include <algorithm>

#include "kernels/layers/layer_plan.h"

namespace okksim::sim::bound {
namespace {

using kernels::OwnWork;

/// Address, type and rank, and two words per axis for dimension and stride.
std::int64_t tensor_words(std::int64_t rank) { return 4 + 3 * rank; }

std::int64_t operand_words(const graph::Block& block, const graph::Operator& op) {
    std::int64_t words = 0;
    const auto add = [&](graph::TensorIndex value) {
        words += tensor_words(static_cast<std::int64_t>(block.tensors[value].shape.size()));
    };
    for (const graph::TensorIndex value : op.inputs) add(value);
    for (const graph::TensorIndex value : op.outputs) add(value);
    return words;
}

template <typename Value>
constexpr std::int64_t words_of() {
    return static_cast<std::int64_t>((sizeof(Value) + 3) / 4);
}

/// Returns the instructions to call a kernel with the operator.
std::int64_t call_instructions(const graph::Block& block, const graph::Operator& op) {
    return own_instructions(OwnWork::kCall) +
           own_instructions(OwnWork::kArgumentWord, operand_words(block, op));
}

/// Returns the instructions for one part of a layer and its result, as counted by
/// kernels::layers::LayerPlan::argument_words().
std::int64_t layer_instructions() {
    constexpr std::int64_t kLayer = 6, kMap = 1;
    constexpr std::int64_t kWords = kLayer + kMap + words_of<kernels::layers::LayerWork>() +
                                    words_of<kernels::layers::LayerPlaces>();
    return own_instructions(OwnWork::kLayerWork) + own_instructions(OwnWork::kArgumentWord, kWords);
}

}  // namespace

std::int64_t own_instructions(OwnWork work, std::int64_t count) {
    return static_cast<std::int64_t>(kernels::instructions(work)) * count;
}

std::int64_t least_set_up() {
    // A kernel has at least one operand and one result, of one dimension.
    constexpr std::int64_t kTensors = 2;
    return std::min(own_instructions(OwnWork::kCall) +
                        own_instructions(OwnWork::kArgumentWord, kTensors * tensor_words(1)),
                    layers_set_up());
}

std::int64_t layers_set_up() {
    // Four words for the group, and one for the length of each of its six lists.
    constexpr std::int64_t kGroup = 4 + 6;
    constexpr std::int64_t kWords =
        kGroup + kLeastSections * words_of<kernels::layers::LayerSection>();
    return own_instructions(OwnWork::kLayers) + own_instructions(OwnWork::kArgumentWord, kWords);
}

std::int64_t transfer_instructions() {
    return own_instructions(OwnWork::kTransfer) +
           own_instructions(OwnWork::kArgumentWord, words_of<kernels::layers::LayerTransfer>());
}

std::int64_t reorder_instructions() {
    constexpr std::int64_t kTensors = 2, kRank = 4;
    return own_instructions(OwnWork::kCall) +
           own_instructions(OwnWork::kArgumentWord, kTensors * tensor_words(kRank));
}

std::int64_t map_instructions(const graph::Block& block, const graph::Operator& op,
                              bool can_follow) {
    return can_follow ? std::min(layer_instructions(), follower_instructions(block, op))
                      : layer_instructions();
}

std::int64_t window_instructions(const graph::Block& block, const graph::Operator& op,
                                 std::int64_t transfers, std::int64_t tiles) {
    const std::int64_t call = call_instructions(block, op);
    const bool convolves =
        op.op == tosa::OpCode::kConv2d || op.op == tosa::OpCode::kDepthwiseConv2d;
    if (!convolves) return call;
    return call + own_instructions(OwnWork::kConvolution) + own_instructions(OwnWork::kRound) +
           own_instructions(OwnWork::kStep, tiles) +
           own_instructions(OwnWork::kTransfer, transfers);
}

std::int64_t kernel_instructions(const graph::Block& block, const graph::Operator& op,
                                 std::int64_t tiles) {
    std::int64_t operands = 0;
    for (const graph::TensorIndex value : op.inputs) {
        operands += block.tensors[value].has_data ? 0 : 1;
    }
    return call_instructions(block, op) + own_instructions(OwnWork::kTileLoops) +
           tiles * (own_instructions(OwnWork::kTile) +
                    own_instructions(OwnWork::kTileOperand, operands));
}

std::int64_t follower_instructions(const graph::Block& block, const graph::Operator& op) {
    return own_instructions(OwnWork::kFollower) +
           own_instructions(OwnWork::kArgumentWord, operand_words(block, op));
}

}  // namespace okksim::sim::bound
