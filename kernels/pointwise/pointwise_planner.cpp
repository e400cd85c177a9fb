// SPDX-License-Identifier: Apache-2.0
#include "kernels/pointwise/pointwise_planner.h"

#include <algorithm>

#include "isa/base/errors.h"
#include "isa/layout.h"
#include "isa/limits.h"
#include "kernels/planning/fastest.h"
#include "kernels/planning/too_small.h"
#include "kernels/pointwise/pointwise_run.h"
#include "kernels/transfer/spread_io.h"
#include "kernels/transfer/tile_io.h"

namespace okksim::kernels {
namespace {

/// Numbers of tiles that are tried: each about a third larger than the previous one.
constexpr std::int64_t kTileCounts[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};

/// Operands that the GDMA spreads over words, of those that it can.
struct Spreading {
    bool inputs = false;
    bool output = false;
};

/// Makes plans with tiles of limited size and the buffers for which they leave memory.
class Placement {
 public:
    Placement(const PointwiseOperator& op, const isa::MachineShape& machine)
        : op_(op), lanes_(lanes_of(machine)), local_bytes_(machine.local_bytes) {
        const auto dims = std::span(op.output.dims).first(static_cast<std::size_t>(op.output.rank));
        std::vector<NdStrides> strides;
        int narrowest = stored_bytes(op.output.type);
        for (const PointwiseInput& input : op.inputs) {
            strides.push_back(broadcast_strides(input.tensor, dims));
            narrowest = std::min(narrowest, stored_bytes(input.tensor.type));
        }
        strides.push_back(op.output.strides);
        operands_ = strides.size();
        axes_ = merged_axes(dims, strides);
        piece_unit_ = lanes_.line_bytes() / narrowest;
    }

    /// Plans about `count` tiles, or more if they do not fit.
    PointwisePlan with_tiles(std::int64_t count, Spreading spreading) const {
        const std::int64_t per_lane = lanes_.slots(op_.output.count());
        // Leaves room to round dimensions up without an additional tile.
        const std::int64_t whole = lanes_.whole_lines(isa::div_up(2 * per_lane, 2 * count - 1));
        // One tile needs no second buffers.
        std::optional<PointwisePlan> best;
        if (count == 1) best = fewest_tiles(whole, 1, spreading);
        if (!best || best->tiling.tiles() > 1) best = fewest_tiles(whole, 2, spreading);
        if (!best) throw_too_small("element-wise operator", local_bytes_);
        return *std::move(best);
    }

 private:
    /// Returns the plan with the fewest tiles over all splits of `whole` words per lane into
    /// channels and words per channel.
    std::optional<PointwisePlan> fewest_tiles(std::int64_t whole, int buffers,
                                              Spreading spreading) const {
        const std::int64_t line = lanes_.line_words;
        const std::int64_t most_words = isa::kMostExtent / line * line;
        std::optional<PointwisePlan> best;
        for (std::int64_t slots = 1; slots * lanes_.count <= isa::kMostChannels; slots *= 2) {
            std::int64_t words =
                std::min(lanes_.whole_lines(isa::div_up(whole, slots)), most_words);
            std::optional<PointwisePlan> plan;
            while (words >= line) {
                plan = place(slots, words, buffers, spreading);
                if (bytes(*plan) <= local_bytes_) break;
                const std::int64_t scaled = words * local_bytes_ / bytes(*plan);
                words = std::min(scaled / line * line, words - line);
                plan.reset();
            }
            if (!plan) break;
            if (!best || plan->tiling.tiles() < best->tiling.tiles()) best = std::move(plan);
            if (words == line) break;
        }
        return best;
    }

    static std::int64_t bytes(const PointwisePlan& plan) {
        return std::int64_t{plan.scratch} + plan.scratch_bytes;
    }

    PointwisePlan place(std::int64_t slots, std::int64_t words, int buffers,
                        Spreading spreading) const {
        PointwisePlan plan;
        plan.lanes = lanes_;
        plan.tiling = cut_into_tiles(axes_, operands_,
                                     {lanes_.count, isa::narrow(slots * lanes_.count),
                                      static_cast<std::int32_t>(words), piece_unit_});
        plan.buffers = plan.tiling.tiles() == 1 ? 1 : buffers;
        const NdTile tile = plan.tiling.largest();
        const dim4 shape{1, tile.c, tile.h, tile.w};
        plan.plane_bytes = prim::plane_bytes(shape, lanes_);
        std::uint32_t next = 0;
        int planes = op_.planes;
        const auto settle = [&](PointwiseRegion& region) {
            region.buffer = next;
            next += region.buffer_bytes * region.copies * static_cast<std::uint32_t>(plan.buffers);
            region.words = next;
            next += region.words_bytes * region.copies;
        };
        for (std::size_t k = 0; k < op_.inputs.size(); ++k) {
            const PointwiseInput& input = op_.inputs[k];
            const TileOperand block = tile_operand(input.tensor, tile, k);
            const bool spread = spreading.inputs && can_spread(input.tensor.type, input.form);
            plan.inputs.push_back(
                region(input.tensor.type, input.form, loaded_shape(block, lanes_), spread));
            plan.inputs.back().copies = static_cast<std::uint32_t>(input.copies);
            settle(plan.inputs.back());
            planes = std::max(planes, widen_planes(input.tensor.type, input.form));
        }
        const tosa::DType type = op_.output.type;
        plan.output = region(type, op_.output_form, shape,
                             spreading.output && can_spread(type, op_.output_form));
        settle(plan.output);
        planes = std::max(planes, narrow_planes(type, op_.output_form));
        plan.table = next;
        if (op_.table) next += table_bytes(*op_.table);
        plan.violations = next;
        if (op_.checks) next += plan.plane_bytes;
        plan.scratch = next;
        plan.scratch_bytes = plan.plane_bytes * static_cast<std::uint32_t>(planes);
        return plan;
    }

    std::uint32_t table_bytes(const DeviceTensor& table) const {
        return static_cast<std::uint32_t>(
            lanes_.whole_line_bytes(table.count() * stored_bytes(table.type)));
    }

    PointwiseRegion region(tosa::DType type, WordForm form, const dim4& shape, bool spread) const {
        const std::uint32_t words = prim::plane_bytes(shape, lanes_);
        PointwiseRegion region;
        region.spread = spread;
        region.buffer_bytes = spread ? words : packed_tile_bytes(type, shape, lanes_);
        if (!spread && needs_words(type, form)) region.words_bytes = words;
        return region;
    }

    const PointwiseOperator& op_;
    Lanes lanes_;
    std::int64_t local_bytes_;
    std::vector<NdAxis> axes_;
    std::size_t operands_ = 0;
    std::int32_t piece_unit_ = 1;
};

std::vector<Spreading> spreadings(const PointwiseOperator& op) {
    const bool inputs = std::any_of(
        op.inputs.begin(), op.inputs.end(),
        [](const PointwiseInput& input) { return can_spread(input.tensor.type, input.form); });
    const bool output = can_spread(op.output.type, op.output_form);
    std::vector<Spreading> list{{false, false}};
    if (inputs) list.push_back({true, false});
    if (output) list.push_back({false, true});
    if (inputs && output) list.push_back({true, true});
    return list;
}

}  // namespace

std::vector<PointwisePlan> pointwise_candidates(const PointwiseOperator& op,
                                                const isa::MachineShape& machine) {
    const Placement placement(op, machine);
    std::vector<PointwisePlan> candidates;
    for (const Spreading spreading : spreadings(op)) {
        std::int64_t before = 0;
        for (const std::int64_t count : kTileCounts) {
            PointwisePlan plan = placement.with_tiles(count, spreading);
            const std::int64_t tiles = plan.tiling.tiles();
            if (tiles == before) continue;
            before = tiles;
            candidates.push_back(std::move(plan));
        }
    }
    return candidates;
}

PointwisePlan plan_pointwise(const PointwiseOperator& op, Host& host) {
    return fastest_plan(pointwise_candidates(op, host.machine()), host,
                        [&](const PointwisePlan& plan) -> SteppedFirmware {
                            const auto first = static_cast<double>(plan.tiling.largest().count());
                            return {plan.tiling.tiles(),
                                    static_cast<double>(op.output.count()) / first,
                                    [&](std::int64_t most) { run_tiles(op, plan, most); }};
                        });
}

}  // namespace okksim::kernels
