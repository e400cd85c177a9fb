// SPDX-License-Identifier: Apache-2.0
#include "kernels/moves/lane_move.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "isa/layout.h"
#include "isa/limits.h"

namespace okksim::kernels {
namespace {

using isa::narrow;

/// One dimension of a tile between two memories.
struct Dimension {
    std::int64_t extent = 1;
    std::int64_t to = 0;
    std::int64_t from = 0;
};

/// Dimensions other than the lanes', with the smallest stride in `system` memory first. They are
/// merged if both memories allow it.
std::vector<Dimension> merged(std::vector<Dimension> axes, std::int64_t Dimension::*system) {
    std::stable_sort(axes.begin(), axes.end(), [&](const Dimension& a, const Dimension& b) {
        return std::abs(a.*system) < std::abs(b.*system);
    });
    std::vector<Dimension> merged;
    for (const Dimension& axis : axes) {
        if (axis.extent == 1) continue;
        if (!merged.empty()) {
            Dimension& last = merged.back();
            if (axis.to == last.to * last.extent && axis.from == last.from * last.extent &&
                axis.extent * last.extent <= isa::kMostExtent) {
                last.extent *= axis.extent;
                continue;
            }
        }
        merged.push_back(axis);
    }
    return merged;
}

RepeatedCommand command_of(const std::array<Dimension, 4>& inner, std::vector<CommandLoop> loops) {
    RepeatedCommand command;
    command.shape = {narrow(inner[3].extent), narrow(inner[2].extent), narrow(inner[1].extent),
                     narrow(inner[0].extent)};
    command.to = {narrow(inner[3].to), narrow(inner[2].to), narrow(inner[1].to),
                  narrow(inner[0].to)};
    command.from = {narrow(inner[3].from), narrow(inner[2].from), narrow(inner[1].from),
                    narrow(inner[0].from)};
    command.loops = std::move(loops);
    return command;
}

/// All assignments of merged dimensions to h and n of a GDMA command and to loops around it.
std::vector<RepeatedCommand> assignments(std::vector<Dimension> axes, const Dimension& lanes) {
    std::array<Dimension, 4> inner{Dimension{1, 1, 1}, {}, lanes, {}};
    if (!axes.empty() && axes[0].to == 1 && axes[0].from == 1) {
        inner[0] = axes[0];
        axes.erase(axes.begin());
    }
    const std::size_t none = axes.size();
    std::vector<RepeatedCommand> ways;
    for (std::size_t h = 0; h <= none; ++h) {
        for (std::size_t n = 0; n <= none; ++n) {
            // A dimension is left out only if there are too few.
            if (h == n && h != none) continue;
            if ((h == none) + (n == none) != std::max(0, 2 - static_cast<int>(none))) continue;
            inner[1] = h != none ? axes[h] : Dimension{};
            inner[3] = n != none ? axes[n] : Dimension{};
            std::vector<CommandLoop> loops;
            for (std::size_t i = 0; i < none; ++i) {
                if (i != h && i != n) loops.push_back({axes[i].extent, axes[i].to, axes[i].from});
            }
            ways.push_back(command_of(inner, std::move(loops)));
        }
    }
    return ways;
}

/// Positions of all axes but the lanes', with the smallest stride of one operand first.
std::vector<std::size_t> order_of(const LaneMove& move, std::size_t operand) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < move.axes.size(); ++i) {
        if (i != move.lane_axis) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::abs(move.axes[a].strides[operand]) < std::abs(move.axes[b].strides[operand]);
    });
    return order;
}

/// Layout of a tile in local memory. Each lane's part is dense in the order of the source and,
/// after a turn, in that of the destination. Strides are 0 for the lanes' axis.
struct LocalForm {
    std::vector<std::int64_t> loaded;
    std::vector<std::int64_t> turned;
    std::int64_t slot = 1;  ///< elements per channel slot of a lane

    LocalForm(const LaneMove& move, const LaneMoveBox& box)
        : loaded(strides(move, box, kSource)), turned(strides(move, box, kDestination)) {
        for (std::size_t i = 0; i < box.extents.size(); ++i) {
            if (i != move.lane_axis) slot *= box.extents[i];
        }
    }
    /// Stride through the loaded form in the direction of the source.
    std::int64_t read(const LaneMove& move, std::size_t i) const {
        return move.axes[i].strides[kSource] < 0 ? -loaded[i] : loaded[i];
    }

 private:
    static std::vector<std::int64_t> strides(const LaneMove& move, const LaneMoveBox& box,
                                             std::size_t operand) {
        std::vector<std::int64_t> strides(move.axes.size(), 0);
        std::int64_t step = 1;
        for (const std::size_t i : order_of(move, operand)) {
            strides[i] = step;
            step *= box.extents[i];
        }
        return strides;
    }
};

/// Offset of the tile's first element in the loaded form.
std::int64_t first_loaded(const LaneMove& move, const LaneMoveBox& box, const LocalForm& form) {
    std::int64_t first = 0;
    for (std::size_t i = 0; i < box.extents.size(); ++i) {
        if (i == move.lane_axis || move.axes[i].strides[kSource] > 0) continue;
        first += (box.extents[i] - 1) * form.loaded[i];
    }
    return first;
}

/// Offset of the turned form: in the other half of local memory, which has other banks.
std::int64_t first_turned(const LaneMoveMachine& machine) {
    return machine.local_bytes / 2 / machine.element_bytes;
}

/// Chooses tile extents for a given lanes' axis.
class TileChooser {
 public:
    TileChooser(LaneMove& move, const LaneMoveMachine& machine)
        : move_(move), lanes_(machine.lanes) {
        const std::int64_t buffers = move.turns ? 2 : 1;
        capacity_ = machine.local_bytes / (buffers * machine.element_bytes);
        move.tile.assign(move.axes.size(), 1);
        move.tile[move.lane_axis] = std::min(extent(move.lane_axis), lanes_);
    }

    void choose() {
        const std::vector<std::size_t> from = sorted(kSource);
        const std::vector<std::size_t> to = sorted(kDestination);
        // The innermost axes of both sides grow together, then the next ones.
        for (std::size_t rank = 0; rank < from.size(); ++rank) {
            bool grown = true;
            while (grown) {
                grown = grow(from[rank]);
                grown = grow(to[rank]) || grown;
            }
        }
        for (std::size_t i = 0; i < move_.tile.size(); ++i) {
            if (i == move_.lane_axis) continue;
            const std::int64_t tiles = isa::div_up(extent(i), move_.tile[i]);
            move_.tile[i] = isa::div_up(extent(i), tiles);
        }
    }

 private:
    std::int64_t extent(std::size_t i) const { return move_.axes[i].extent; }

    std::vector<std::size_t> sorted(std::size_t operand) const {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < move_.axes.size(); ++i) order.push_back(i);
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return std::abs(move_.axes[a].strides[operand]) <
                   std::abs(move_.axes[b].strides[operand]);
        });
        return order;
    }

    bool grow(std::size_t i) {
        const std::int64_t before = move_.tile[i];
        std::int64_t most = extent(i);
        if (move_.turns) {
            const bool is_lanes = i == move_.lane_axis;
            most = std::min<std::int64_t>(
                most, is_lanes ? isa::kMostChannels / lanes_ * lanes_ : isa::kMostExtent);
        }
        if (before >= most) return false;
        move_.tile[i] = std::min(2 * before, most);
        std::int64_t elements = 1;
        for (std::size_t k = 0; k < move_.tile.size(); ++k) {
            elements *= k == move_.lane_axis ? isa::div_up(move_.tile[k], lanes_) : move_.tile[k];
        }
        if (elements <= capacity_) return true;
        move_.tile[i] = before;
        return false;
    }

    LaneMove& move_;
    std::int64_t lanes_;
    std::int64_t capacity_;
};

}  // namespace

std::vector<LaneMove> lane_moves(const std::vector<NdAxis>& axes, const LaneMoveMachine& machine,
                                 bool splits) {
    std::vector<LaneMove> moves;
    for (const NdAxis& axis : axes) {
        if (axis.strides[kSource] == 0) return moves;
    }
    const auto add = [&](LaneMove move) {
        for (const bool turns : {false, true}) {
            if (turns && machine.element_bytes != 4) continue;
            move.turns = turns;
            TileChooser(move, machine).choose();
            moves.push_back(move);
        }
    };
    for (std::size_t i = 0; i < axes.size(); ++i) {
        add({axes, i, {}, false, std::nullopt});
        if (!splits || axes[i].extent < 2 * machine.lanes) continue;
        // Equal parts of one axis, a part per lane.
        std::vector<NdAxis> split = axes;
        const std::int64_t part = axes[i].extent / machine.lanes;
        split[i].extent = part;
        NdAxis parts = axes[i];
        parts.extent = machine.lanes;
        for (auto& stride : parts.strides) stride *= part;
        split.push_back(parts);
        std::optional<LaneMoveRest> rest;
        if (part * machine.lanes != axes[i].extent) rest = {i, part * machine.lanes};
        add({split, split.size() - 1, {}, false, rest});
    }
    return moves;
}

std::vector<LaneMoveBox> boxes_of(const LaneMove& move) {
    std::vector<LaneMoveBox> boxes(1);
    for (std::size_t i = 0; i < move.axes.size(); ++i) {
        const NdAxis& axis = move.axes[i];
        const std::int64_t whole = axis.extent / move.tile[i];
        const std::int64_t rest = axis.extent % move.tile[i];
        const std::int64_t to = axis.strides[kDestination] * move.tile[i];
        const std::int64_t from = axis.strides[kSource] * move.tile[i];
        std::vector<LaneMoveBox> next;
        for (const LaneMoveBox& box : boxes) {
            next.push_back(box);
            next.back().extents.push_back(move.tile[i]);
            if (whole > 1) next.back().tiles.push_back({whole, to, from});
            if (rest == 0) continue;
            next.push_back(box);
            next.back().extents.push_back(rest);
            next.back().to += whole * to;
            next.back().from += whole * from;
        }
        boxes = std::move(next);
    }
    return boxes;
}

std::vector<RepeatedCommand> loads_of(const LaneMove& move, const LaneMoveBox& box) {
    const LocalForm form(move, box);
    std::vector<Dimension> axes;
    std::int64_t lowest = 0;
    for (std::size_t i = 0; i < box.extents.size(); ++i) {
        if (i == move.lane_axis) continue;
        const std::int64_t stride = move.axes[i].strides[kSource];
        if (stride < 0) lowest += (box.extents[i] - 1) * stride;
        axes.push_back({box.extents[i], form.loaded[i], std::abs(stride)});
    }
    const Dimension lanes{box.extents[move.lane_axis], form.slot,
                          move.axes[move.lane_axis].strides[kSource]};
    std::vector<RepeatedCommand> ways =
        assignments(merged(std::move(axes), &Dimension::from), lanes);
    for (RepeatedCommand& way : ways) way.first_from = lowest;
    return ways;
}

RepeatedCommand turn_of(const LaneMove& move, const LaneMoveBox& box,
                        const LaneMoveMachine& machine) {
    const LocalForm form(move, box);
    std::vector<Dimension> axes;
    for (std::size_t i = 0; i < box.extents.size(); ++i) {
        if (i == move.lane_axis) continue;
        axes.push_back({box.extents[i], form.turned[i], form.read(move, i)});
    }
    axes = merged(std::move(axes), &Dimension::from);
    std::array<Dimension, 4> inner;
    inner[2] = {box.extents[move.lane_axis], form.slot, form.slot};
    std::vector<CommandLoop> loops;
    constexpr std::array<std::size_t, 3> kPlaces{0, 1, 3};  // w, h, n
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (i < kPlaces.size()) {
            inner[kPlaces[i]] = axes[i];
        } else {
            loops.push_back({axes[i].extent, axes[i].to, axes[i].from});
        }
    }
    RepeatedCommand turn = command_of(inner, std::move(loops));
    turn.first_to = first_turned(machine);
    turn.first_from = first_loaded(move, box, form);
    return turn;
}

std::vector<RepeatedCommand> stores_of(const LaneMove& move, const LaneMoveBox& box,
                                       const LaneMoveMachine& machine) {
    const LocalForm form(move, box);
    std::vector<Dimension> axes;
    for (std::size_t i = 0; i < box.extents.size(); ++i) {
        if (i == move.lane_axis) continue;
        axes.push_back({box.extents[i], move.axes[i].strides[kDestination],
                        move.turns ? form.turned[i] : form.read(move, i)});
    }
    const Dimension lanes{box.extents[move.lane_axis],
                          move.axes[move.lane_axis].strides[kDestination], form.slot};
    std::vector<RepeatedCommand> ways = assignments(merged(std::move(axes), &Dimension::to), lanes);
    const std::int64_t first = move.turns ? first_turned(machine) : first_loaded(move, box, form);
    for (RepeatedCommand& way : ways) way.first_from = first;
    return ways;
}

}  // namespace okksim::kernels
