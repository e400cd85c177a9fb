// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/tiling_candidates.h"

#include <algorithm>
#include <string>
#include <vector>

#include "isa/base/fault.h"
#include "isa/layout.h"
#include "isa/limits.h"
#include "kernels/conv/operand.h"
#include "kernels/conv/tile_memory.h"
#include "kernels/planning/too_small.h"
#include "kernels/transfer/half_element.h"

namespace okksim::kernels::conv {
namespace {

using isa::div_up;

/// `extent`, then about equal parts of it, down to 1; at most `most`. Parts larger than a unit are
/// rounded up to whole units, but not above `most`.
std::vector<std::int32_t> parts_of(std::int64_t extent, std::int64_t most, std::int64_t unit = 1) {
    std::vector<std::int32_t> sizes;
    for (std::int64_t parts = div_up(extent, most);;) {
        std::int64_t part = div_up(extent, parts);
        const std::int64_t whole = isa::align_up(part, unit);
        if (parts > 1 && part > unit && whole <= most) part = whole;
        const auto size = static_cast<std::int32_t>(part);
        if (sizes.empty() || size < sizes.back()) sizes.push_back(size);
        if (size == 1) return sizes;
        parts = std::max(parts + 1, parts + parts / 3);
    }
}

class Search {
 public:
    Search(const Problem& problem, const SumRule& rule, const Machine& machine,
           const std::function<void(const Tiling&)>& visit)
        : problem_(problem), rule_(rule), machine_(machine), visit_(visit) {
        base_.mode_y = mode_of(problem.y, problem.y.taps == 1 && problem.y.step > 1);
        base_.mode_x = mode_of(problem.x, false);
        // The extra channel needs no memory if the machine has four lanes.
        const bool three = problem.kind == ProblemKind::kFull && problem.input_channels == 3;
        most_zero_channels_ = three && machine.lanes.count >= 4 ? 1 : 0;
        base_.zeros_in_tile = problem.y.stretch > 1 || problem.x.stretch > 1 ||
                              most_zeros(problem.y, base_.mode_y) > kMostZeros ||
                              most_zeros(problem.x, base_.mode_x) > kMostZeros;
        base_.halves = machine.lanes.has(isa::Feature::kHalfMac) && !base_.zeros_in_tile &&
                       is_half(problem.input.type) &&
                       problem.weights.stored_type() == problem.input.type;
    }

    void run() {
        for (const auto& [taps_y, taps_x] : tap_choices()) {
            for (const std::int32_t x :
                 parts_of(problem_.x.output, isa::kMostWindowExtent, unit_of_columns())) {
                Tile tile;
                tile.x = x;
                tile.taps_y = taps_y;
                tile.taps_x = taps_x;
                if (!smallest_fits(tile)) continue;
                for (const std::int32_t inputs : input_choices()) {
                    tile.inputs = inputs;
                    try_outputs(tile);
                }
                // Narrower tiles and fewer taps load more. A few are tried in case the widest ones
                // that fit leave little memory for other dimensions.
                const bool whole = x == problem_.x.output && taps_y == problem_.y.taps;
                if (found_ && (whole || --patience_ == 0)) return;
            }
        }
        if (found_) return;
        throw_too_small("convolution", machine_.local_bytes);
    }

 private:
    static AxisMode mode_of(const WindowAxis& axis, bool prefer_single) {
        const bool needed = axis.step > kMostStep || (axis.taps > 1 && axis.spacing > kMostStep);
        return needed || prefer_single ? AxisMode::kSingleTap : AxisMode::kWindow;
    }

    /// Contiguous pixels are cut at the ends of local memory lines. That needs no more memory, and
    /// pieces of system memory have equal alignment.
    std::int64_t unit_of_columns() const {
        const bool is_flat = problem_.x.taps == 1 && problem_.x.step == 1 && problem_.x.pad == 0;
        return is_flat ? machine_.lanes.line_words : 1;
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
        if (most_zero_channels_ > 0) return {all};
        std::vector<std::int32_t> choices;
        if (all <= isa::kMostChannels) choices.push_back(all);
        const std::int64_t slots = div_up(all, machine_.lanes.count);
        for (const std::int32_t part :
             parts_of(slots, std::max(1, isa::kMostChannels / 2 * 2 / machine_.lanes.count))) {
            const std::int64_t channels = std::int64_t{part} * machine_.lanes.count;
            if (channels < all && channels % 2 == 0) {
                choices.push_back(static_cast<std::int32_t>(channels));
            }
        }
        for (std::int32_t part = machine_.lanes.count / 2; part >= 2; part /= 2) {
            if (part < all && part % 2 == 0) choices.push_back(part);
        }
        return choices;
    }

    /// True if a tile of one row, the fewest channels and this width fits.
    bool smallest_fits(Tile tile) {
        tile.inputs = input_choices().back();
        tile.channels = std::min(machine_.lanes.count, problem_.output_channels);
        Tiling smallest = base_;
        smallest.tile = tile;
        smallest.counts = count(tile);
        return plan_memory(problem_, rule_, machine_, smallest);
    }

    void try_outputs(Tile tile) {
        const std::int64_t slots = div_up(problem_.output_channels, machine_.lanes.count);
        for (const std::int32_t part :
             parts_of(slots, std::max(1, isa::kMostChannels / machine_.lanes.count))) {
            tile.channels = static_cast<std::int32_t>(std::min<std::int64_t>(
                std::int64_t{part} * machine_.lanes.count, problem_.output_channels));
            for (const std::int32_t y : parts_of(problem_.y.output, isa::kMostWindowExtent)) {
                tile.y = y;
                const bool whole = y == problem_.y.output && tile.x == problem_.x.output;
                // Weights of several images are loaded together if there is one tap.
                const bool one_tap = problem_.y.taps == 1 && problem_.x.taps == 1;
                const bool batch = whole && problem_.z.output == 1 && problem_.z.taps == 1 &&
                                   (one_tap || !problem_.weights.of_each_image());
                for (const std::int32_t n :
                     parts_of(batch ? problem_.images : 1, isa::kMostBatch)) {
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
        const bool inputs = can_spread(problem_.input.type) && !base_.zeros_in_tile;
        const bool weights = can_spread(problem_.weights.stored_type());
        for (const bool spread_inputs : {false, true}) {
            for (const bool spread_weights : {false, true}) {
                if ((spread_inputs && !inputs) || (spread_weights && !weights)) continue;
                base_.input.spread = spread_inputs;
                base_.weights.spread = spread_weights;
                for (int zeros = 0; zeros <= most_zero_channels_; ++zeros) {
                    base_.zero_channels = zeros;
                    try_order();
                }
            }
        }
    }

    void try_order() {
        const bool depthwise = problem_.kind == ProblemKind::kDepthwise;
        constexpr TileOrder kOrders[] = {{true, false, false},  {true, true, false},
                                         {false, false, true},  {false, true, true},
                                         {false, false, false}, {false, true, false}};
        for (const TileOrder& order : kOrders) {
            if (depthwise && (!order.channels_outside || order.keep_inputs)) continue;
            // A single spatial tile always stays, and so do the weights of a single tile of
            // channels.
            const TileCounts& counts = base_.counts;
            if (order.keep_inputs && (counts.spatial() == 1 && counts.chunks() == 1)) continue;
            if (order.keep_weights && (counts.channels == 1 && counts.chunks() == 1)) continue;
            Tiling candidate = base_;
            candidate.order = order;
            if (!plan_memory(problem_, rule_, machine_, candidate)) continue;
            found_ = true;
            visit_(candidate);
        }
    }

    /// True if extents with padding fit a command.
    bool within_command() const {
        const Tile& tile = base_.tile;
        return span_of(problem_.y, base_.mode_y, tile.y, tile.taps_y) <= isa::kMostWindowExtent &&
               span_of(problem_.x, base_.mode_x, tile.x, tile.taps_x) <= isa::kMostWindowExtent;
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
    const std::function<void(const Tiling&)>& visit_;
    Tiling base_;
    bool found_ = false;
    std::int32_t most_zero_channels_ = 0;
    int patience_ = 4;  ///< widths and taps that are tried once one fits
};

}  // namespace

void for_each_tiling(const Problem& problem, const SumRule& rule, const Machine& machine,
                     const std::function<void(const Tiling&)>& visit) {
    Search(problem, rule, machine, visit).run();
}

}  // namespace okksim::kernels::conv
