// SPDX-License-Identifier: Apache-2.0
#include "kernels/tiling/lane_move.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "isa/layout.h"
#include "kernels/tiling/lane_move_cost.h"

namespace okksim::kernels {
namespace {

constexpr std::size_t kSource = 0;
constexpr std::size_t kDestination = 1;

/// A vector instruction takes extents up to here.
constexpr std::int64_t kLargestChannels = 4095;
constexpr std::int64_t kLargestExtent = 65535;

/// Dimensions of one side other than the lanes', merged where both memories allow it.
std::vector<LaneMoveAxis> merge_side(std::vector<LaneMoveAxis> axes) {
    std::stable_sort(axes.begin(), axes.end(), [](const LaneMoveAxis& a, const LaneMoveAxis& b) {
        return std::abs(a.system) < std::abs(b.system);
    });
    std::vector<LaneMoveAxis> merged;
    for (const LaneMoveAxis& axis : axes) {
        if (axis.extent == 1) continue;
        if (!merged.empty()) {
            LaneMoveAxis& last = merged.back();
            if (axis.system == last.system * last.extent &&
                axis.local == last.local * last.extent &&
                axis.extent * last.extent <= kLargestExtent) {
                last.extent *= axis.extent;
                continue;
            }
        }
        merged.push_back(axis);
    }
    return merged;
}

/// The cheapest way to give merged dimensions to w, h, n and loops around the command.
LaneMoveCommands assign_side(std::vector<LaneMoveAxis> axes, const LaneMoveAxis& lanes, int bytes) {
    LaneMoveCommands base;
    base.inner[0] = {1, 1, 1};
    base.inner[2] = lanes;
    if (!axes.empty() && axes[0].system == 1 && axes[0].local == 1) {
        base.inner[0] = axes[0];
        axes.erase(axes.begin());
    }
    const std::size_t none = axes.size();
    LaneMoveCommands best;
    double best_cost = -1;
    for (std::size_t h = 0; h <= none; ++h) {
        for (std::size_t n = 0; n <= none; ++n) {
            if (h == n && h != none) continue;
            LaneMoveCommands side = base;
            if (h != none) side.inner[1] = axes[h];
            if (n != none) side.inner[3] = axes[n];
            for (std::size_t i = 0; i < none; ++i) {
                if (i != h && i != n) side.loops.push_back(axes[i]);
            }
            const double cost = side_cost(side, bytes).total();
            if (best_cost < 0 || cost < best_cost) {
                best_cost = cost;
                best = std::move(side);
            }
        }
    }
    return best;
}

/// Positions of all axes but the lanes', nearest first in the memory of one operand.
std::vector<std::size_t> order_of(const LaneMovePlan& plan, std::size_t operand) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < plan.axes.size(); ++i) {
        if (i != plan.lane_axis) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::abs(plan.axes[a].strides[operand]) < std::abs(plan.axes[b].strides[operand]);
    });
    return order;
}

/// Strides of a lane's dense part, in the order of one operand. 0 for the lanes' axis.
std::vector<std::int64_t> local_strides(const LaneMovePlan& plan, std::size_t operand,
                                        const std::vector<std::int64_t>& extents) {
    std::vector<std::int64_t> strides(plan.axes.size(), 0);
    std::int64_t step = 1;
    for (const std::size_t i : order_of(plan, operand)) {
        strides[i] = step;
        step *= extents[i];
    }
    return strides;
}

/// Chooses tile extents for a plan whose lanes' axis is fixed.
class TileChooser {
 public:
    TileChooser(LaneMovePlan& plan, const LaneMoveMachine& machine)
        : plan_(plan), lanes_(machine.lanes) {
        const std::int64_t buffers = plan.rearranges ? 2 : 1;
        capacity_ = machine.local_bytes / (buffers * machine.element_bytes);
        plan.tile.assign(plan.axes.size(), 1);
        plan.tile[plan.lane_axis] = std::min(extent(plan.lane_axis), lanes_);
    }

    void choose() {
        const std::vector<std::size_t> from = sorted(kSource);
        const std::vector<std::size_t> to = sorted(kDestination);
        // The nearest axes of both sides grow together, then the next ones.
        for (std::size_t rank = 0; rank < from.size(); ++rank) {
            bool grown = true;
            while (grown) {
                grown = grow(from[rank]);
                grown = grow(to[rank]) || grown;
            }
        }
        for (std::size_t i = 0; i < plan_.tile.size(); ++i) {
            if (i == plan_.lane_axis) continue;
            const std::int64_t tiles = isa::div_up(extent(i), plan_.tile[i]);
            plan_.tile[i] = isa::div_up(extent(i), tiles);
        }
    }

 private:
    std::int64_t extent(std::size_t i) const { return plan_.axes[i].extent; }

    std::vector<std::size_t> sorted(std::size_t operand) const {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < plan_.axes.size(); ++i) order.push_back(i);
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return std::abs(plan_.axes[a].strides[operand]) <
                   std::abs(plan_.axes[b].strides[operand]);
        });
        return order;
    }

    bool grow(std::size_t i) {
        const std::int64_t before = plan_.tile[i];
        std::int64_t most = extent(i);
        if (plan_.rearranges) {
            most = std::min(
                most, i == plan_.lane_axis ? kLargestChannels / lanes_ * lanes_ : kLargestExtent);
        }
        if (before >= most) return false;
        plan_.tile[i] = std::min(2 * before, most);
        std::int64_t elements = 1;
        for (std::size_t k = 0; k < plan_.tile.size(); ++k) {
            elements *= k == plan_.lane_axis ? isa::div_up(plan_.tile[k], lanes_) : plan_.tile[k];
        }
        if (elements <= capacity_) return true;
        plan_.tile[i] = before;
        return false;
    }

    LaneMovePlan& plan_;
    std::int64_t lanes_;
    std::int64_t capacity_;
};

double plan_cost(const LaneMovePlan& plan, const LaneMoveMachine& machine) {
    const LaneMoveTile tile = lane_move_tile(plan, plan.tile, machine);
    double tiles = 1;
    double share = 1;
    for (std::size_t i = 0; i < plan.axes.size(); ++i) {
        const auto extent = static_cast<double>(plan.axes[i].extent);
        tiles *= std::ceil(extent / static_cast<double>(plan.tile[i]));
        share *= extent / static_cast<double>(plan.tile[i]);
    }
    const LaneMoveCost load = side_cost(tile.load, machine.element_bytes);
    const LaneMoveCost store = side_cost(tile.store, machine.element_bytes);
    const LaneMoveCost moves{tiles * (load.commands + store.commands),
                             share * (load.nanoseconds + store.nanoseconds)};
    double cost = moves.total();
    if (plan.rearranges) {
        double commands = 1;
        for (std::size_t i = 3; i < tile.turn.size(); ++i) {
            commands *= static_cast<double>(tile.turn[i].extent);
        }
        cost += tiles * commands * turn_cost();
    }
    return cost;
}

}  // namespace

LaneMoveTile lane_move_tile(const LaneMovePlan& plan, const std::vector<std::int64_t>& extents,
                            const LaneMoveMachine& machine) {
    LaneMoveTile tile;
    tile.slot_elements = 1;
    const auto loaded = local_strides(plan, kSource, extents);
    const auto turned = local_strides(plan, kDestination, extents);
    std::vector<LaneMoveAxis> load;
    std::vector<LaneMoveAxis> store;
    for (std::size_t i = 0; i < extents.size(); ++i) {
        if (i == plan.lane_axis) continue;
        const std::int64_t extent = extents[i];
        const auto& strides = plan.axes[i].strides;
        tile.slot_elements *= extent;
        load.push_back({extent, std::abs(strides[kSource]), loaded[i]});
        const bool backwards = strides[kSource] < 0;
        if (backwards) tile.first += (extent - 1) * loaded[i];
        const std::int64_t read = backwards ? -loaded[i] : loaded[i];
        tile.turn.push_back({extent, read, turned[i]});
        store.push_back({extent, strides[kDestination], plan.rearranges ? turned[i] : read});
    }
    const NdAxis& lanes = plan.axes[plan.lane_axis];
    const std::int64_t channels = extents[plan.lane_axis];
    tile.load =
        assign_side(merge_side(std::move(load)),
                    {channels, lanes.strides[kSource], tile.slot_elements}, machine.element_bytes);
    tile.store = assign_side(merge_side(std::move(store)),
                             {channels, lanes.strides[kDestination], tile.slot_elements},
                             machine.element_bytes);
    tile.turn = merge_side(std::move(tile.turn));
    return tile;
}

std::optional<LaneMovePlan> plan_lane_move(const std::vector<NdAxis>& axes,
                                           const LaneMoveMachine& machine,
                                           std::optional<LaneMoveRest>& rest) {
    double best_cost = system_copy_cost(axes, machine.element_bytes);
    std::optional<LaneMovePlan> best;
    rest.reset();
    if (best_cost < 3 * issue_cost()) return best;
    for (const NdAxis& axis : axes) {
        if (axis.strides[kSource] == 0) return best;
    }
    const auto consider = [&](LaneMovePlan plan, std::optional<LaneMoveRest> left) {
        for (const bool turn : {false, true}) {
            if (turn && machine.element_bytes != 4) continue;
            plan.rearranges = turn;
            TileChooser(plan, machine).choose();
            const double cost = plan_cost(plan, machine) + (left ? 2 * issue_cost() : 0);
            if (cost >= best_cost) continue;
            best_cost = cost;
            best = plan;
            rest = left;
        }
    };
    for (std::size_t i = 0; i < axes.size(); ++i) {
        consider({axes, i, {}, false}, std::nullopt);
        if (axes[i].extent < 2 * machine.lanes) continue;
        // Equal parts of one axis, a part per lane.
        std::vector<NdAxis> split = axes;
        const std::int64_t part = axes[i].extent / machine.lanes;
        split[i].extent = part;
        NdAxis parts = axes[i];
        parts.extent = machine.lanes;
        for (auto& stride : parts.strides) stride *= part;
        split.push_back(parts);
        std::optional<LaneMoveRest> left;
        if (part * machine.lanes != axes[i].extent) left = {i, part * machine.lanes};
        consider({split, split.size() - 1, {}, false}, left);
    }
    return best;
}

}  // namespace okksim::kernels
