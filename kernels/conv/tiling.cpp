// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/tiling.h"

#include <algorithm>
#include <string>
#include <vector>

#include "isa/errors.h"
#include "isa/layout.h"
#include "kernels/conv/operand.h"
#include "kernels/conv/tile_cost.h"

namespace okksim::kernels::conv {
namespace {

using isa::align_up;
using isa::div_up;

constexpr std::int64_t kLine = 128;

std::int64_t even(std::int64_t value) { return align_up(value, 2); }

/// Memory of a tile, worked out in 64 bits: candidates may be far too large.
class Sizes {
 public:
    Sizes(const Problem& problem, const SumRule& rule, const Machine& machine, Tiling& tiling)
        : problem_(problem), rule_(rule), machine_(machine), tiling_(tiling) {}

    /// Fills the tiling's buffers; false when they do not fit.
    bool fit() {
        input();
        weights();
        outputs();
        const std::int64_t scratch = std::max({scratch_, input_scratch_, weight_scratch_});
        const std::int64_t total = ring_ + work_ + input_bytes_ + weight_bytes_ + scratch;
        tiling_.scratch_bytes = static_cast<std::uint32_t>(scratch);
        return total <= machine_.local_bytes;
    }

 private:
    std::int64_t slots(std::int64_t channels) const { return div_up(channels, machine_.lanes); }

    static std::int64_t place(OperandBuffers& buffers, std::int64_t packed, std::int64_t plane) {
        buffers.packed_bytes = static_cast<std::uint32_t>(packed);
        buffers.plane_bytes = static_cast<std::uint32_t>(plane);
        return packed * buffers.packed_slots + plane * buffers.plane_slots;
    }

    /// Slots for tiles that are used as loaded, or packed in two buffers and widened: `kept` of
    /// the `distinct` ones stay.
    static void set_slots(OperandBuffers& buffers, std::int64_t distinct, std::int64_t kept,
                          bool widened) {
        constexpr std::int64_t kMostSlots = 1 << 16;
        const auto two = static_cast<int>(std::min<std::int64_t>(2, distinct));
        const auto all = static_cast<int>(std::min(kept, kMostSlots));
        buffers.packed_slots = widened ? two : std::max(all, two);
        buffers.plane_slots = widened ? std::max(all, 1) : 0;
    }

    /// Bytes that the data mover spreads out sooner than commands would unpack them.
    static bool spreads(tosa::DType type, std::int64_t elements) {
        return can_spread(type) && elements <= kMostSpread;
    }

    void input() {
        const Tile& tile = tiling_.tile;
        const std::int64_t span_y = span_of(problem_.y, tiling_.mode_y, tile.y, tile.taps_y);
        const std::int64_t span_x = span_of(problem_.x, tiling_.mode_x, tile.x, tile.taps_x);
        const std::int64_t h = std::min<std::int64_t>(span_y, problem_.y.input);
        const std::int64_t w = std::min<std::int64_t>(span_x, problem_.x.input);
        const tosa::DType type = problem_.input.type;
        const std::int64_t rows = tile.images * slots(input_channels());
        const std::int64_t loaded_plane = rows * align_up(h * w * 4, kLine);
        const bool padded = tiling_.zeros_in_tile;
        const bool spread = !padded && spreads(type, tile.images * input_channels() * h * w);
        const std::int64_t plane =
            padded ? rows * align_up(span_y * span_x * 4, kLine) : loaded_plane;
        const std::int64_t packed =
            spread ? loaded_plane : rows * align_up(h * w * stored_bytes(type), kLine);
        const bool widened = padded || (is_narrow(type) && !spread);
        tiling_.input.spread = spread;
        const TileCounts& counts = tiling_.counts;
        const bool depthwise = problem_.kind == ProblemKind::kDepthwise;
        const std::int64_t distinct =
            counts.spatial() * counts.chunks() * (depthwise ? counts.channels : 1);
        set_slots(tiling_.input, distinct, tiling_.order.keep_inputs ? distinct : 0, widened);
        input_bytes_ = place(tiling_.input, packed, widened ? plane * limbs_of(type) : 0);
        const int extra = padded && is_narrow(type) ? 1 : 0;
        input_scratch_ = loaded_plane * (widen_planes(type) + extra);
    }

    void weights() {
        const Tile& tile = tiling_.tile;
        const tosa::DType type = problem_.weights.stored_type();
        const bool depthwise = problem_.kind == ProblemKind::kDepthwise;
        const std::int64_t taps = std::int64_t{tile.taps_y} * tile.taps_x;
        const std::int64_t row = depthwise ? taps : taps * even(tile.inputs);
        const std::int64_t images = problem_.weights.of_each_image() ? tile.images : 1;
        const std::int64_t rows = images * slots(tile.channels);
        const std::int64_t compact = align_up(rows * row * 4, kLine);
        const std::int64_t aligned = rows * align_up(row * 4, kLine);
        const bool spread = spreads(type, images * tile.channels * row);
        const bool widened = is_narrow(type) && (!spread || depthwise);
        const std::int64_t packed = spread      ? aligned
                                    : widened   ? rows * align_up(row * stored_bytes(type), kLine)
                                    : depthwise ? compact
                                                : aligned;
        tiling_.weights.spread = spread;
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
        const std::int64_t plane = rows * align_up(pixels * 4, kLine);
        const std::int64_t ring = memory.ring_bytes > 0
                                      ? rows * align_up(pixels * memory.ring_bytes, kLine)
                                      : plane * memory.ring_planes;
        const TileCounts& counts = tiling_.counts;
        // Partial sums of a depthwise convolution are added by a command of their own.
        const bool partial = problem_.kind == ProblemKind::kDepthwise &&
                             (counts.chunks() > 1 || limbs_of(problem_.input.type) > 1);
        tiling_.ring_slots = counts.spatial() * counts.channels > 1 ? 2 : 1;
        tiling_.ring_bytes = static_cast<std::uint32_t>(ring);
        tiling_.plane_bytes = static_cast<std::uint32_t>(plane);
        tiling_.work_planes = memory.work_planes + (partial ? 1 : 0);
        ring_ = ring * tiling_.ring_slots;
        work_ = plane * tiling_.work_planes;
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

/// `extent`, then about equal parts of it, down to 1; at most `most`.
std::vector<std::int32_t> parts_of(std::int64_t extent, std::int64_t most) {
    std::vector<std::int32_t> sizes;
    for (std::int64_t parts = div_up(extent, most);;) {
        const auto size = static_cast<std::int32_t>(div_up(extent, parts));
        if (sizes.empty() || size < sizes.back()) sizes.push_back(size);
        if (size == 1) return sizes;
        parts = std::max(parts + 1, parts + parts / 3);
    }
}

class Search {
 public:
    Search(const Problem& problem, const SumRule& rule, const Machine& machine)
        : problem_(problem), rule_(rule), machine_(machine) {
        base_.mode_y = mode_of(problem.y, problem.y.taps == 1 && problem.y.step > 1);
        base_.mode_x = mode_of(problem.x, false);
        // The extra channel takes no room where the lanes hold four.
        const bool three = problem.kind == ProblemKind::kFull && problem.input_channels == 3;
        base_.zero_channels = three && machine.lanes >= 4 ? 1 : 0;
        base_.zeros_in_tile = most_zeros(problem.y, base_.mode_y) > kMostZeros ||
                              most_zeros(problem.x, base_.mode_x) > kMostZeros;
    }

    Tiling run() {
        bool whole_kernel = true;
        for (const auto& [taps_y, taps_x] : tap_choices()) {
            bool all_columns = true;
            for (const std::int32_t x : parts_of(problem_.x.output, kMostExtent)) {
                for (const std::int32_t inputs : input_choices()) {
                    Tile tile;
                    tile.x = x;
                    tile.inputs = inputs;
                    tile.taps_y = taps_y;
                    tile.taps_x = taps_x;
                    try_outputs(tile);
                }
                // Narrower tiles only load more; so do parts of kernels.
                if (found_ && whole_kernel && all_columns) return best_;
                all_columns = false;
            }
            whole_kernel = false;
        }
        if (found_) return best_;
        throw ConfigError("chip.local_memory_bytes",
                          std::to_string(machine_.local_bytes) +
                              " bytes per lane do not hold the smallest tile of a convolution; "
                              "use a machine with more local memory");
    }

 private:
    static AxisMode mode_of(const WindowAxis& axis, bool prefer_single) {
        const bool needed = axis.step > kMostStep || (axis.taps > 1 && axis.spacing > kMostStep);
        return needed || prefer_single ? AxisMode::kSingleTap : AxisMode::kWindow;
    }

    /// Whole kernels first, then rows of taps, then parts of rows.
    std::vector<std::pair<std::int32_t, std::int32_t>> tap_choices() const {
        const bool single_y = base_.mode_y == AxisMode::kSingleTap;
        const bool single_x = base_.mode_x == AxisMode::kSingleTap;
        std::vector<std::pair<std::int32_t, std::int32_t>> choices;
        const std::int32_t all_x = single_x ? 1 : problem_.x.taps;
        const std::int32_t all_y = single_y ? 1 : problem_.y.taps;
        const std::int64_t most = rule_.exact() ? rule_.exact_terms / 2 : INT64_MAX;
        for (std::int32_t y = all_y; y >= 1; y = y == 1 ? 0 : (y + 1) / 2) {
            if (std::int64_t{y} * all_x <= most) choices.emplace_back(y, all_x);
        }
        for (std::int32_t x = (all_x + 1) / 2; all_x > 1 && x >= 1; x = x == 1 ? 0 : (x + 1) / 2) {
            if (x <= most) choices.emplace_back(1, x);
        }
        return choices;
    }

    std::vector<std::int32_t> input_choices() const {
        if (problem_.kind == ProblemKind::kDepthwise) return {1};
        const std::int32_t all = problem_.input_channels;
        if (base_.zero_channels > 0) return {all};
        std::vector<std::int32_t> choices;
        if (all <= kMostChannels) choices.push_back(all);
        const std::int64_t slots = div_up(all, machine_.lanes);
        for (const std::int32_t part : parts_of(slots, std::max(1, 4094 / machine_.lanes))) {
            const std::int64_t channels = std::int64_t{part} * machine_.lanes;
            if (channels < all && channels % 2 == 0) {
                choices.push_back(static_cast<std::int32_t>(channels));
            }
        }
        for (std::int32_t part = machine_.lanes / 2; part >= 2; part /= 2) {
            if (part < all && part % 2 == 0) choices.push_back(part);
        }
        return choices;
    }

    void try_outputs(Tile tile) {
        const std::int64_t slots = div_up(problem_.output_channels, machine_.lanes);
        for (const std::int32_t part : parts_of(slots, std::max(1, 4095 / machine_.lanes))) {
            tile.channels = static_cast<std::int32_t>(std::min<std::int64_t>(
                std::int64_t{part} * machine_.lanes, problem_.output_channels));
            for (const std::int32_t y : parts_of(problem_.y.output, kMostExtent)) {
                tile.y = y;
                const bool whole = y == problem_.y.output && tile.x == problem_.x.output;
                // Weights of several images go side by side where there is one tap.
                const bool one_tap = problem_.y.taps == 1 && problem_.x.taps == 1;
                const bool batch = whole && problem_.z.output == 1 && problem_.z.taps == 1 &&
                                   (one_tap || !problem_.weights.of_each_image());
                for (const std::int32_t n : parts_of(batch ? problem_.images : 1, 65535)) {
                    tile.images = n;
                    try_orders(tile);
                }
            }
        }
    }

    void try_orders(const Tile& tile) {
        base_.tile = tile;
        base_.counts = count(tile);
        if (!within_command()) return;
        const bool depthwise = problem_.kind == ProblemKind::kDepthwise;
        constexpr TileOrder kOrders[] = {{true, false, false},  {true, true, false},
                                         {false, false, true},  {false, true, true},
                                         {false, false, false}, {false, true, false}};
        for (const TileOrder& order : kOrders) {
            if (depthwise && (!order.channels_outside || order.keep_inputs)) continue;
            // One spatial tile stays anyway, and so do the weights of one tile of channels.
            const TileCounts& counts = base_.counts;
            if (order.keep_inputs && (counts.spatial() == 1 && counts.chunks() == 1)) continue;
            if (order.keep_weights && (counts.channels == 1 && counts.chunks() == 1)) continue;
            Tiling candidate = base_;
            candidate.order = order;
            if (!Sizes(problem_, rule_, machine_, candidate).fit()) continue;
            const double best = found_ ? best_.microseconds : 1e300;
            candidate.microseconds =
                estimate_microseconds(problem_, rule_, machine_, candidate, best);
            if (!found_ || candidate.microseconds < best_.microseconds) best_ = candidate;
            found_ = true;
        }
    }

    /// Extents with their zeros are what a command takes.
    bool within_command() const {
        const Tile& tile = base_.tile;
        return span_of(problem_.y, base_.mode_y, tile.y, tile.taps_y) <= kMostExtent &&
               span_of(problem_.x, base_.mode_x, tile.x, tile.taps_x) <= kMostExtent;
    }

    TileCounts count(const Tile& tile) const {
        TileCounts counts;
        counts.images = div_up(problem_.images, tile.images);
        counts.z = problem_.z.output;
        counts.y = div_up(problem_.y.output, tile.y);
        counts.x = div_up(problem_.x.output, tile.x);
        counts.channels = div_up(problem_.output_channels, tile.channels);
        counts.taps_z = problem_.z.taps;
        counts.taps_y = div_up(problem_.y.taps, tile.taps_y);
        counts.taps_x = div_up(problem_.x.taps, tile.taps_x);
        const bool depthwise = problem_.kind == ProblemKind::kDepthwise;
        counts.inputs = depthwise ? 1 : div_up(problem_.input_channels, tile.inputs);
        return counts;
    }

    const Problem& problem_;
    const SumRule& rule_;
    const Machine& machine_;
    Tiling base_;
    Tiling best_;
    bool found_ = false;
};

}  // namespace

Tiling choose_tiling(const Problem& problem, const SumRule& rule, const Machine& machine) {
    return Search(problem, rule, machine).run();
}

}  // namespace okksim::kernels::conv
