// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/step_moves.h"

#include "kernels/conv/block_transfer.h"
#include "kernels/conv/operand.h"
#include "kernels/conv/step_shapes.h"

namespace okksim::kernels::conv {
namespace {

/// Converts strides of words to bytes, for elements of one byte that become words.
std::array<std::int64_t, 4> spread(std::array<std::int64_t, 4> strides) {
    for (std::int64_t& stride : strides) stride *= 4;
    return strides;
}

std::uint64_t moved(std::uint64_t address, std::int64_t elements, int bytes) {
    return address + static_cast<std::uint64_t>(elements * bytes);
}

}  // namespace

void StepMoves::load_input(const Step& step, local_addr_t to) const {
    const FeatureMaps& maps = problem_.input;
    BlockTransfer block;
    block.element_bytes = stored_bytes(maps.type);
    block.shape = input_shape(step);
    block.system = {maps.image, maps.channel, maps.y * step.slice_y.load_step,
                    maps.x * step.slice_x.load_step};
    block.local = tiling_.input.spread ? spread(aligned_strides(block.shape, 4, lanes_))
                                       : aligned_strides(block.shape, block.element_bytes, lanes_);
    const std::int64_t offset = step.images.begin * maps.image + step.inputs.begin * maps.channel +
                                step.input_z * maps.z + step.slice_y.first * maps.y +
                                step.slice_x.first * maps.x;
    load_block(to, moved(maps.address, offset, block.element_bytes), block);
}

void StepMoves::load_weights(const Step& step, local_addr_t to) const {
    const Weights& weights = problem_.weights;
    const bool depthwise = problem_.kind == ProblemKind::kDepthwise;
    const int bytes = stored_bytes(weights.stored_type());
    const std::int64_t tap = tap_weights(problem_, tiling_, step);
    const std::int64_t row = weight_row(problem_, tiling_, step);
    // Depthwise commands take compact weights. Widening makes them compact.
    const bool compact = depthwise && (tiling_.halves || !is_narrow(weights.stored_type()));
    const int width = tiling_.weights.spread ? 4 : bytes;
    BlockTransfer block;
    block.element_bytes = bytes;
    block.shape = {step.taps_y.size(), step.channels.size(), step.taps_x.size(),
                   depthwise ? 1 : step.inputs.size()};
    block.system = {weights.y, weights.output, weights.x, weights.input};
    block.local = {tap * step.taps_x.size(),
                   compact ? row : lanes_.whole_line_bytes(row * width) / width, tap, 1};
    if (weights.of_each_image() && step.images.size() > 1) {
        // Weights of several images have one tap, so dimension n, which is rows of taps, holds
        // images.
        block.shape.n = step.images.size();
        block.system[0] = weights.image;
        block.local[0] = block.local[1] * lanes_.slots(step.channels.size());
    }
    if (tiling_.weights.spread) block.local = spread(block.local);
    const std::int64_t offset =
        step.images.begin * weights.image + step.channels.begin * weights.output +
        (depthwise ? 0 : step.inputs.begin * weights.input) + step.tap_z * weights.z +
        step.taps_y.begin * weights.y + step.taps_x.begin * weights.x;
    load_block(to, moved(weights.address, offset, bytes), block);
}

std::pair<BlockTransfer, std::uint64_t> StepMoves::output_block(const Step& step,
                                                                const FeatureMaps& maps) const {
    BlockTransfer block;
    block.element_bytes = stored_bytes(maps.type);
    block.shape = output_shape(step);
    block.system = {maps.image, maps.channel, maps.y, maps.x};
    block.local = aligned_strides(block.shape, block.element_bytes, lanes_);
    const std::int64_t offset = step.images.begin * maps.image +
                                step.channels.begin * maps.channel + step.z * maps.z +
                                step.y.begin * maps.y + step.x.begin * maps.x;
    return {block, moved(maps.address, offset, block.element_bytes)};
}

void StepMoves::store_output(const Step& step, local_addr_t from) const {
    const auto [block, to] = output_block(step, problem_.output);
    store_block(to, from, block);
}

void StepMoves::load_operand(const Step& step, const FeatureMaps& maps, local_addr_t to) const {
    FeatureMaps own = maps;
    own.address =
        moved(maps.address, problem_.first_channel * maps.channel, stored_bytes(maps.type));
    const auto [block, from] = output_block(step, own);
    load_block(to, from, block);
}

}  // namespace okksim::kernels::conv
