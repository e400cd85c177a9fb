// SPDX-License-Identifier: Apache-2.0
#include "kernels/tiling/lane_move.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "isa/layout.h"

namespace okksim::kernels {
namespace {

constexpr std::size_t kSource = 0;
constexpr std::size_t kDestination = 1;

// Rough prices of the reference machine (sim/machines/bm1684.toml) in nanoseconds. They only choose
// between ways that are all correct.
constexpr double kIssue = 3600;           ///< the control processor, per command
constexpr double kSetup = 1230;           ///< the data mover, per command
constexpr double kTurnSetup = 2600;       ///< the compute engine, per command
constexpr double kPiece = 0.15;           ///< a contiguous run between the memories
constexpr double kSystemPiece = 2.24;     ///< a contiguous run within system memory
constexpr double kMisalignedByte = 0.04;  ///< up to kMisalignedBytes of a piece
constexpr double kMisalignedBytes = 256;
constexpr double kByte = 0.04;
constexpr double kBurstBytes = 64;
constexpr double kJump = 17.3;
/// A vector instruction takes extents up to here.
constexpr std::int64_t kLargestChannels = 4095;
constexpr std::int64_t kLargestExtent = 65535;

/// A contiguous stretch and the distance to the next.
struct Stretch {
    std::int64_t run = 1;
    std::int64_t pitch = 0;
    void step(std::int64_t extent, std::int64_t stride) {
        if (extent == 1 || pitch != 0) return;
        if (stride == run) {
            run *= extent;
        } else {
            pitch = std::abs(stride);
        }
    }
};

double memory_cost(const Stretch& stretch, double elements, int bytes) {
    const double runs = elements / static_cast<double>(stretch.run);
    const auto run_bytes = static_cast<double>(stretch.run * bytes);
    const auto pitch = static_cast<double>(stretch.pitch * bytes);
    if (pitch <= run_bytes) return runs * run_bytes * kByte;
    const double fetched = std::max(run_bytes, std::min(pitch, kBurstBytes));
    const double jump = std::min(kJump, std::min(run_bytes, pitch - run_bytes) * kByte);
    return runs * (fetched * kByte + jump);
}

struct Cost {
    double commands = 0;
    double nanoseconds = 0;  ///< of the data mover, without the set-up of commands
};

double total(const Cost& cost) {
    return std::max(kIssue * cost.commands, kSetup * cost.commands + cost.nanoseconds);
}

Cost command_cost(const LaneMoveCommands& side, int bytes) {
    Cost cost{1, 0};
    double elements = 1;
    Stretch system;
    Stretch piece;
    bool in_piece = true;
    for (std::size_t d = 0; d < side.inner.size(); ++d) {
        const LaneMoveAxis& axis = side.inner[d];
        elements *= static_cast<double>(axis.extent);
        system.step(axis.extent, axis.system);
        if (axis.extent == 1) continue;
        in_piece = in_piece && d < 2 && axis.system == piece.run && axis.local == piece.run;
        if (in_piece) piece.run *= axis.extent;
    }
    for (const LaneMoveAxis& axis : side.loops) cost.commands *= static_cast<double>(axis.extent);
    const auto piece_bytes = static_cast<double>(piece.run * bytes);
    double per_piece = kPiece;
    if (std::fmod(piece_bytes, kBurstBytes) != 0) {
        per_piece += std::min(piece_bytes, kMisalignedBytes) * kMisalignedByte;
    }
    const double work = memory_cost(system, elements, bytes) +
                        elements / static_cast<double>(piece.run) * per_piece;
    cost.nanoseconds = cost.commands * work;
    return cost;
}

/// One command within system memory, in the order of the destination.
double system_copy_cost(const std::vector<NdAxis>& axes, int bytes) {
    Stretch from;
    Stretch to;
    double elements = 1;
    std::int64_t piece = 1;
    bool in_piece = true;
    for (const NdAxis& axis : axes) {
        from.step(axis.extent, axis.strides[kSource]);
        to.step(axis.extent, axis.strides[kDestination]);
        in_piece =
            in_piece && axis.strides[kSource] == piece && axis.strides[kDestination] == piece;
        if (in_piece) piece *= axis.extent;
        elements *= static_cast<double>(axis.extent);
    }
    const double pieces = elements / static_cast<double>(piece);
    return total({1, memory_cost(from, elements, bytes) + memory_cost(to, elements, bytes) +
                         pieces * kSystemPiece});
}

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
            const double cost = total(command_cost(side, bytes));
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
    const Cost load = command_cost(tile.load, machine.element_bytes);
    const Cost store = command_cost(tile.store, machine.element_bytes);
    double cost = total(
        {tiles * (load.commands + store.commands), share * (load.nanoseconds + store.nanoseconds)});
    if (plan.rearranges) {
        double commands = 1;
        for (std::size_t i = 3; i < tile.turn.size(); ++i) {
            commands *= static_cast<double>(tile.turn[i].extent);
        }
        cost += tiles * commands * kTurnSetup;
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
    if (best_cost < 3 * kIssue) return best;
    for (const NdAxis& axis : axes) {
        if (axis.strides[kSource] == 0) return best;
    }
    const auto consider = [&](LaneMovePlan plan, std::optional<LaneMoveRest> left) {
        for (const bool turn : {false, true}) {
            if (turn && machine.element_bytes != 4) continue;
            plan.rearranges = turn;
            TileChooser(plan, machine).choose();
            const double cost = plan_cost(plan, machine) + (left ? 2 * kIssue : 0);
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
