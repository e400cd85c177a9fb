// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/own_work.h"

#include <algorithm>

#include "kernels/layers/layer_plan.h"

namespace okksim::sim::bound {
namespace {

using kernels::OwnWork;

std::int64_t of(OwnWork work, std::int64_t count = 1) {
    return static_cast<std::int64_t>(kernels::instructions(work)) * count;
}

/// Address, type and rank; a dimension and a stride of two words for every axis.
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

/// One part of a layer: what kernels::layers::LayerPlan::argument_words() says of it and of its
/// result.
std::int64_t layer_instructions() {
    constexpr std::int64_t kLayer = 6, kMap = 1;
    constexpr std::int64_t kWords = kLayer + kMap + words_of<kernels::layers::LayerWork>() +
                                    words_of<kernels::layers::LayerPlaces>();
    return of(OwnWork::kLayerWork) + of(OwnWork::kArgumentWord, kWords);
}

}  // namespace

std::int64_t least_set_up() {
    // A kernel has an operand and a result at least, of one dimension.
    constexpr std::int64_t kTensors = 2;
    return std::min(of(OwnWork::kCall) + of(OwnWork::kArgumentWord, kTensors * tensor_words(1)),
                    layers_set_up());
}

std::int64_t layers_set_up() {
    // What it says of itself, and how long six lists are.
    constexpr std::int64_t kGroup = 4 + 6;
    constexpr std::int64_t kWords =
        kGroup + kLeastSections * words_of<kernels::layers::LayerSection>();
    return of(OwnWork::kLayers) + of(OwnWork::kArgumentWord, kWords);
}

std::int64_t transfer_instructions() {
    return of(OwnWork::kTransfer) +
           of(OwnWork::kArgumentWord, words_of<kernels::layers::LayerTransfer>());
}

std::int64_t reorder_instructions() {
    constexpr std::int64_t kTensors = 2, kRank = 4;
    return of(OwnWork::kCall) + of(OwnWork::kArgumentWord, kTensors * tensor_words(kRank));
}

std::int64_t map_instructions(const graph::Block& block, const graph::Operator& op,
                              bool can_follow) {
    return can_follow ? std::min(layer_instructions(), follower_instructions(block, op))
                      : layer_instructions();
}

std::int64_t kernel_instructions(const graph::Block& block, const graph::Operator& op) {
    std::int64_t operands = 0;
    for (const graph::TensorIndex value : op.inputs) {
        operands += block.tensors[value].has_data ? 0 : 1;
    }
    return of(OwnWork::kCall) + of(OwnWork::kArgumentWord, operand_words(block, op)) +
           of(OwnWork::kTileLoops) + of(OwnWork::kTile) + of(OwnWork::kTileOperand, operands);
}

std::int64_t follower_instructions(const graph::Block& block, const graph::Operator& op) {
    return of(OwnWork::kFollower) + of(OwnWork::kArgumentWord, operand_words(block, op));
}

}  // namespace okksim::sim::bound
