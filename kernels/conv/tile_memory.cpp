// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/tile_memory.h"

#include <algorithm>

#include "isa/layout.h"
#include "kernels/conv/element_types.h"
#include "kernels/conv/operand.h"
#include "kernels/conv/step_shapes.h"

namespace okksim::kernels::conv {
namespace {

using isa::align_up;

/// Memory of a tile, computed in 64 bits: candidates may be far too large.
class Sizes {
 public:
    Sizes(const Problem& problem, const SumRule& rule, const Machine& machine, Tiling& tiling)
        : problem_(problem), rule_(rule), machine_(machine), tiling_(tiling) {}

    /// Fills the tiling's buffers. Returns false if they do not fit.
    bool fit() {
        input();
        weights();
        outputs();
        const std::int64_t scratch = std::max({scratch_, input_scratch_, weight_scratch_});
        const std::int64_t total = ring_ + work_ + input_bytes_ + weight_bytes_ + scratch;
        tiling_.scratch_bytes = static_cast<std::uint32_t>(scratch);
        tiling_.lanes = machine_.lanes;
        return total <= machine_.local_bytes;
    }

 private:
    std::int64_t slots(std::int64_t channels) const { return machine_.lanes.slots(channels); }

    static std::int64_t place(OperandBuffers& buffers, std::int64_t packed, std::int64_t plane) {
        buffers.packed_bytes = static_cast<std::uint32_t>(packed);
        buffers.plane_bytes = static_cast<std::uint32_t>(plane);
        return packed * buffers.packed_slots + plane * buffers.plane_slots;
    }

    /// Sets the slots of an operand. Tiles are used as loaded, or have two packed buffers and are
    /// widened. `kept` of the `distinct` tiles stay.
    static void set_slots(OperandBuffers& buffers, std::int64_t distinct, std::int64_t kept,
                          bool widened) {
        constexpr std::int64_t kMostSlots = 1 << 16;
        const auto two = static_cast<int>(std::min<std::int64_t>(2, distinct));
        const auto all = static_cast<int>(std::min(kept, kMostSlots));
        buffers.packed_slots = widened ? two : std::max(all, two);
        buffers.plane_slots = widened ? std::max(all, 1) : 0;
    }

    void input() {
        const Tile& tile = tiling_.tile;
        const std::int64_t span_y = span_of(problem_.y, tiling_.mode_y, tile.y, tile.taps_y);
        const std::int64_t span_x = span_of(problem_.x, tiling_.mode_x, tile.x, tile.taps_x);
        const std::int64_t h = inputs_within(problem_.y, span_y);
        const std::int64_t w = inputs_within(problem_.x, span_x);
        const tosa::DType type = problem_.input.type;
        const std::int64_t rows = tile.images * slots(input_channels());
        const std::int64_t loaded_plane = rows * machine_.lanes.whole_line_bytes(h * w * 4);
        const bool padded = tiling_.zeros_in_tile;
        const bool spread = tiling_.input.spread;
        const std::int64_t plane =
            padded ? rows * machine_.lanes.whole_line_bytes(span_y * span_x * 4) : loaded_plane;
        const std::int64_t packed =
            spread ? loaded_plane
                   : rows * machine_.lanes.whole_line_bytes(h * w * stored_bytes(type));
        const bool widened = padded || (is_narrow(type) && !spread && !tiling_.halves);
        const TileCounts& counts = tiling_.counts;
        const bool depthwise = problem_.kind == ProblemKind::kDepthwise;
        const std::int64_t distinct =
            counts.spatial() * counts.chunks() * (depthwise ? counts.channels : 1);
        set_slots(tiling_.input, distinct, tiling_.order.keep_inputs ? distinct : 0, widened);
        input_bytes_ = place(tiling_.input, packed, widened ? plane * limbs_of(type) : 0);
        const int extra = padded && is_narrow(type) ? 1 : 0;
        input_scratch_ = widened ? loaded_plane * (widen_planes(type) + extra) : 0;
    }

    void weights() {
        const Tile& tile = tiling_.tile;
        const tosa::DType type = problem_.weights.stored_type();
        const bool depthwise = problem_.kind == ProblemKind::kDepthwise;
        const std::int64_t taps = std::int64_t{tile.taps_y} * tile.taps_x;
        const std::int64_t row =
            depthwise ? taps : taps * align_up(tile.inputs, channels_of_unit(tiling_));
        const std::int64_t images = problem_.weights.of_each_image() ? tile.images : 1;
        const std::int64_t rows = images * slots(tile.channels);
        const int bytes = tiling_.halves ? stored_bytes(type) : 4;
        const std::int64_t compact = machine_.lanes.whole_line_bytes(rows * row * bytes);
        const std::int64_t aligned = rows * machine_.lanes.whole_line_bytes(row * bytes);
        const bool spread = tiling_.weights.spread;
        const bool widened = is_narrow(type) && !tiling_.halves && (!spread || depthwise);
        const std::int64_t packed =
            spread      ? aligned
            : widened   ? rows * machine_.lanes.whole_line_bytes(row * stored_bytes(type))
            : depthwise ? compact
                        : aligned;
        const std::int64_t plane = (depthwise ? compact : aligned) * limbs_of(type);
        const TileCounts& counts = tiling_.counts;
        const std::int64_t of_image = counts.channels * counts.chunks();
        const std::int64_t distinct =
            of_image * (problem_.weights.of_each_image() ? counts.images : 1);
        set_slots(tiling_.weights, distinct, tiling_.order.keep_weights ? of_image : 0, widened);
        weight_bytes_ = place(tiling_.weights, packed, widened ? plane : 0);
        weight_scratch_ = widened ? aligned * (widen_planes(type) + (depthwise ? 1 : 0)) : 0;
    }

    void outputs() {
        const Tile& tile = tiling_.tile;
        const SumMemory memory = sum_memory(rule_);
        const std::int64_t rows = tile.images * slots(tile.channels);
        const std::int64_t pixels = std::int64_t{tile.y} * tile.x;
        const std::int64_t plane = rows * machine_.lanes.whole_line_bytes(pixels * 4);
        const std::int64_t ring =
            memory.ring_bytes > 0
                ? rows * machine_.lanes.whole_line_bytes(pixels * memory.ring_bytes)
                : plane * memory.ring_planes;
        const TileCounts& counts = tiling_.counts;
        // Partial sums of a depthwise convolution are added by a separate command.
        const bool partial = problem_.kind == ProblemKind::kDepthwise &&
                             (counts.chunks() > 1 || limbs_of(problem_.input.type) > 1);
        tiling_.ring_slots = counts.spatial() * counts.channels > 1 ? 2 : 1;
        tiling_.ring_bytes = static_cast<std::uint32_t>(ring);
        tiling_.plane_bytes = static_cast<std::uint32_t>(plane);
        tiling_.work_planes = memory.work_planes + (partial ? 1 : 0);
        tiling_.operand_planes = rule_.epilogue_operands * tiling_.ring_slots;
        ring_ = ring * tiling_.ring_slots;
        work_ = plane * (tiling_.work_planes + tiling_.operand_planes);
        scratch_ = plane * memory.scratch_planes;
    }

    std::int32_t input_channels() const {
        return problem_.kind == ProblemKind::kDepthwise ? tiling_.tile.channels
                                                        : tiling_.tile.inputs;
    }

    const Problem& problem_;
    const SumRule& rule_;
    const Machine& machine_;
    Tiling& tiling_;
    std::int64_t input_bytes_ = 0, weight_bytes_ = 0, ring_ = 0, work_ = 0;
    std::int64_t scratch_ = 0, input_scratch_ = 0, weight_scratch_ = 0;
};

}  // namespace

bool plan_memory(const Problem& problem, const SumRule& rule, const Machine& machine,
                 Tiling& tiling) {
    return Sizes(problem, rule, machine, tiling).fit();
}

}  // namespace okksim::kernels::conv
