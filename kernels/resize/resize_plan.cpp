// SPDX-License-Identifier: Apache-2.0
#include "kernels/resize/resize_plan.h"

#include <algorithm>

#include "isa/base/errors.h"
#include "isa/limits.h"
#include "kernels/planning/fastest.h"
#include "kernels/planning/too_small.h"
#include "kernels/prim/exact_sum.h"

namespace okksim::kernels {
namespace {

using isa::narrow;

/// Number of tile sizes that are priced: the largest ones that fit.
constexpr std::size_t kTriedSizes = 4;

/// Most input positions that `count` neighbouring outputs need.
std::int64_t most_in(const ResizeAxis& axis, std::int64_t count) {
    return ((count - 1) * axis.denominator + axis.numerator - 1) / axis.numerator + 2;
}

/// The largest of the tiles at any position.
ResizeTile largest(const ResizeOperator& op, const ResizeRows& rows) {
    ResizeTile tile;
    tile.channels = rows.channels;
    tile.out_h = rows.out_h;
    tile.out_w = rows.out_w;
    tile.in_h = most_in(op.y, tile.out_h);
    tile.in_w = most_in(op.x, tile.out_w);
    return tile;
}

class ResizePlanner {
 public:
    ResizePlanner(const ResizeOperator& op, const isa::MachineShape& machine)
        : op_(op), lanes_(lanes_of(machine)), local_bytes_(machine.local_bytes) {}

    std::vector<ResizePlan> candidates() {
        add_blocks({}, 0, op_.y.out, kTriedSizes);
        if (op_.channels < lanes_.count) add_bands();
        if (plans_.empty()) throw_too_small("RESIZE", local_bytes_);
        return std::move(plans_);
    }

 private:
    /// Output rows whose neighbours are all within the image.
    ResizeRows rows_inside() const {
        ResizeRows rows{0, op_.y.out};
        while (rows.begin < rows.end && op_.y.lower(rows.begin) < 0) ++rows.begin;
        while (rows.begin < rows.end && op_.y.lower(rows.end - 1) + 1 >= op_.y.in) --rows.end;
        return rows;
    }

    /// Adds plans with the highest possible bands, and with lower ones. Blocks cover the rows above
    /// and below.
    void add_bands() {
        const ResizeRows inside = rows_inside();
        const std::int64_t period = op_.y.out_step();
        std::size_t fitting = 0;
        for (std::int64_t periods = (inside.end - inside.begin) / period / lanes_.count;
             periods > 0 && fitting < kTriedSizes;
             periods = periods == 1 ? 0 : isa::div_up(periods, 2)) {
            ResizeRows rows = inside;
            rows.bands = rows.channels = lanes_.count;
            rows.out_h = periods * period;
            rows.end = rows.begin + (rows.end - rows.begin) / rows.step() * rows.step();
            for (rows.out_w = op_.x.out; rows.out_w > 0;
                 rows.out_w = rows.out_w == 1 ? 0 : isa::div_up(rows.out_w, 2)) {
                const std::size_t before = plans_.size();
                add_around(rows);
                if (plans_.size() == before) continue;
                ++fitting;
                break;
            }
        }
    }

    void add_around(const ResizeRows& bands) {
        ResizePlan plan;
        plan.rows = {bands};
        if (bands.begin == 0) {
            add_blocks(plan, bands.end, op_.y.out, 1);
            return;
        }
        // The blocks above and below have the same tiles.
        for (const ResizeRows& rows : blocks(bands.begin)) {
            ResizePlan above = plan;
            above.rows.push_back(rows);
            if (!fits(above)) continue;
            add_blocks(above, bands.end, op_.y.out, 1);
            return;
        }
    }

    /// Adds plans with blocks of the given rows to `plan`: the first `most` that fit.
    void add_blocks(const ResizePlan& plan, std::int64_t begin, std::int64_t end,
                    std::size_t most) {
        if (begin == end) {
            add(plan);
            return;
        }
        std::size_t fitting = 0;
        for (ResizeRows rows : blocks(end - begin)) {
            rows.begin = begin;
            rows.end = end;
            ResizePlan more = plan;
            more.rows.push_back(rows);
            if (add(std::move(more)) && ++fitting == most) return;
        }
    }

    /// Blocks that cover `height` rows, with all channels or one per lane. Heights differ; each
    /// block is as wide as fits alone.
    std::vector<ResizeRows> blocks(std::int64_t height) const {
        std::vector<ResizeRows> list;
        const std::int64_t most =
            std::max<std::int64_t>(1, isa::kMostChannels / lanes_.count) * lanes_.count;
        const std::int64_t few = std::min<std::int64_t>(op_.channels, lanes_.count);
        const std::int64_t all = std::min(op_.channels, most);
        for (std::int64_t h = height; h > 0; h = h == 1 ? 0 : isa::div_up(h, 2)) {
            for (const std::int64_t channels : {all, few}) {
                ResizeRows rows{0, height};
                rows.channels = channels;
                rows.out_h = h;
                rows.out_w = op_.x.out;
                while (rows.out_w > 1 && !fits({{}, {rows}, 2, {}, {}, 0, 0})) {
                    rows.out_w = isa::div_up(rows.out_w, 2);
                }
                list.push_back(rows);
                if (all == few) break;
            }
        }
        return list;
    }

    bool add(ResizePlan plan) {
        plan.buffers = plan.tiles(op_) == 1 ? 1 : 2;
        if (!fits(plan)) return false;
        plans_.push_back(std::move(plan));
        return true;
    }
    bool fits(ResizePlan&& plan) const { return fits(plan); }
    /// Allocates the tiles. Returns false if they do not fit.
    bool fits(ResizePlan& plan) const {
        std::int64_t in = 0, out = 0, scratch = 0;
        for (const ResizeRows& rows : plan.rows) {
            const ResizeTile tile = largest(op_, rows);
            if (std::max({tile.in_h, tile.out_h}) * std::max(tile.in_w, tile.out_w) >
                isa::kMostExtent) {
                return false;
            }
            const LocalPlacement sizes(lanes_);
            in = std::max(in, sizes.packed(op_.input.type, tile.in_shape()));
            out = std::max(out, sizes.packed(op_.output.type, tile.out_shape()));
            scratch = std::max(scratch, scratch_bytes(tile));
        }
        LocalPlacement place(lanes_);
        plan.lanes = lanes_;
        plan.in = place.take(in, plan.buffers);
        plan.out = place.take(out, plan.buffers);
        plan.scratch = static_cast<local_addr_t>(place.next());
        plan.scratch_bytes = static_cast<std::uint32_t>(scratch);
        return place.next() + scratch <= local_bytes_;
    }

    /// Bytes per lane that a tile needs in addition to its packed buffers.
    std::int64_t scratch_bytes(const ResizeTile& tile) const {
        const LocalPlacement sizes(lanes_);
        const int sums =
            op_.splits_sums ? 3 + std::max(prim::kSumPlanes, prim::kSumToInt48Planes) : 1;
        return sizes.plane(tile.in_shape()) *
                   (2 + widen_planes(op_.input.type, op_.in_form) + (op_.splits_values ? 2 : 0)) +
               sizes.plane(tile.middle_shape()) * (op_.splits_sums ? 3 : 1) +
               sizes.plane(tile.out_shape()) *
                   (sums + narrow_planes(op_.output.type, op_.out_form));
    }

    const ResizeOperator& op_;
    Lanes lanes_;
    std::int64_t local_bytes_;
    std::vector<ResizePlan> plans_;
};

}  // namespace

dim4 ResizeTile::in_shape() const { return {1, narrow(channels), narrow(in_h), narrow(in_w)}; }
dim4 ResizeTile::middle_shape() const { return {1, narrow(channels), narrow(in_h), narrow(out_w)}; }
dim4 ResizeTile::out_shape() const { return {1, narrow(channels), narrow(out_h), narrow(out_w)}; }

std::int64_t ResizeRows::tiles(const ResizeOperator& op) const {
    return op.batches * isa::div_up(op.channels, channel_step()) *
           isa::div_up(end - begin, step()) * isa::div_up(op.x.out, out_w);
}

std::int64_t ResizePlan::tiles(const ResizeOperator& op) const {
    std::int64_t count = 0;
    for (const ResizeRows& each : rows) count += each.tiles(op);
    return count;
}

double ResizePlan::volume(const ResizeOperator& op) const {
    const ResizeRows& first = rows.front();
    return static_cast<double>(op.batches * op.channels * op.y.out * op.x.out) /
           static_cast<double>(first.channels * first.out_h * first.out_w);
}

std::vector<ResizePlan> resize_candidates(const ResizeOperator& op,
                                          const isa::MachineShape& machine) {
    return ResizePlanner(op, machine).candidates();
}

ResizePlan plan_resize(const ResizeOperator& op, Host& host) {
    return fastest_plan(resize_candidates(op, host.machine()), host,
                        [&](const ResizePlan& plan) -> SteppedFirmware {
                            return {plan.tiles(op), plan.volume(op),
                                    [&](std::int64_t most) { run_resize(op, plan, most); }};
                        });
}

}  // namespace okksim::kernels
