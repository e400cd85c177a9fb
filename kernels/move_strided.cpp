// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "firmware/okk.h"
#include "isa/layout.h"
#include "kernels/element_copy.h"
#include "kernels/narrow.h"
#include "kernels/strided_copy.h"
#include "kernels/tiling/lane_move.h"

namespace okksim::kernels {
namespace {

/// Calls `body` with the system and local offsets of every point of the loops.
template <typename Body>
void for_loops(const std::vector<LaneMoveAxis>& loops, std::size_t depth, std::int64_t system,
               std::int64_t local, const Body& body) {
    if (depth == 0) return body(system, local);
    const LaneMoveAxis& axis = loops[depth - 1];
    for (std::int64_t i = 0; i < axis.extent; ++i) {
        for_loops(loops, depth - 1, system + i * axis.system, local + i * axis.local, body);
    }
}

/// Runs a plan tile by tile. Addresses are those of the space's first element.
class LaneMover {
 public:
    LaneMover(const LaneMovePlan& plan, const LaneMoveMachine& machine)
        : plan_(plan), machine_(machine), bytes_(machine.element_bytes) {}

    void run(std::uint64_t from, std::uint64_t to) {
        std::vector<std::int64_t> extents(plan_.axes.size());
        visit(0, from, to, extents);
    }

 private:
    static std::uint64_t advanced(std::uint64_t address, std::int64_t bytes) {
        return address + static_cast<std::uint64_t>(bytes);
    }

    void visit(std::size_t axis, std::uint64_t from, std::uint64_t to,
               std::vector<std::int64_t>& extents) {
        if (axis == extents.size()) return move_tile(from, to, extents);
        const NdAxis& whole = plan_.axes[axis];
        for (std::int64_t at = 0; at < whole.extent; at += plan_.tile[axis]) {
            extents[axis] = std::min(plan_.tile[axis], whole.extent - at);
            visit(axis + 1, advanced(from, at * whole.strides[0] * bytes_),
                  advanced(to, at * whole.strides[1] * bytes_), extents);
        }
    }

    void move_tile(std::uint64_t from, std::uint64_t to, const std::vector<std::int64_t>& extents) {
        const LaneMoveTile tile = lane_move_tile(plan_, extents, machine_);
        load(lowest(from, extents), tile);
        std::int64_t first = tile.first;
        if (plan_.rearranges) {
            turn(tile, extents[plan_.lane_axis]);
            first = turned_elements();
        }
        store(to, first, tile.store);
    }

    /// Address of the tile's first byte in memory.
    std::uint64_t lowest(std::uint64_t from, const std::vector<std::int64_t>& extents) const {
        for (std::size_t i = 0; i < extents.size(); ++i) {
            const std::int64_t stride = plan_.axes[i].strides[0];
            if (i != plan_.lane_axis && stride < 0) {
                from = advanced(from, (extents[i] - 1) * stride * bytes_);
            }
        }
        return from;
    }

    /// Where the turned form lies: the other half of local memory, in other banks.
    std::int64_t turned_elements() const { return machine_.local_bytes / 2 / bytes_; }

    static dim4 extents_of(const std::array<LaneMoveAxis, 4>& axes) {
        return {narrow(axes[3].extent), narrow(axes[2].extent), narrow(axes[1].extent),
                narrow(axes[0].extent)};
    }
    static dim4 system_strides(const std::array<LaneMoveAxis, 4>& axes) {
        return {narrow(axes[3].system), narrow(axes[2].system), narrow(axes[1].system), 1};
    }
    static dim4 local_strides(const std::array<LaneMoveAxis, 4>& axes) {
        return {narrow(axes[3].local), narrow(axes[2].local), narrow(axes[1].local), 1};
    }
    local_addr_t local_address(std::int64_t element) const {
        return static_cast<local_addr_t>(element * bytes_);
    }

    void load(std::uint64_t from, const LaneMoveTile& tile) const {
        const LoadCommand copy = load_command(static_cast<int>(bytes_));
        const auto& inner = tile.load.inner;
        const dim4 shape = extents_of(inner);
        const dim4 to = local_strides(inner);
        const dim4 source = system_strides(inner);
        const auto& loops = tile.load.loops;
        for_loops(loops, loops.size(), 0, 0, [&](std::int64_t system, std::int64_t local) {
            copy(local_address(local), advanced(from, system * bytes_), &shape, &to, &source);
        });
    }

    void store(std::uint64_t to, std::int64_t first, const LaneMoveCommands& commands) const {
        const StoreCommand copy = store_command(static_cast<int>(bytes_));
        const dim4 shape = extents_of(commands.inner);
        const dim4 target = system_strides(commands.inner);
        const dim4 from = local_strides(commands.inner);
        const auto& loops = commands.loops;
        for_loops(loops, loops.size(), 0, first, [&](std::int64_t system, std::int64_t local) {
            copy(advanced(to, system * bytes_), local_address(local), &shape, &target, &from);
        });
    }

    /// Brings each lane's part into the order of the destination.
    void turn(const LaneMoveTile& tile, std::int64_t channels) const {
        std::array<LaneMoveAxis, 3> inner;  // w, h, n
        const std::size_t used = std::min(tile.turn.size(), inner.size());
        std::copy_n(tile.turn.begin(), used, inner.begin());
        const std::vector<LaneMoveAxis> loops(tile.turn.begin() + static_cast<std::ptrdiff_t>(used),
                                              tile.turn.end());
        const int slot = narrow(tile.slot_elements);
        const dim4 shape{narrow(inner[2].extent), narrow(channels), narrow(inner[1].extent),
                         narrow(inner[0].extent)};
        const dim4 from{narrow(inner[2].system), slot, narrow(inner[1].system),
                        narrow(inner[0].system)};
        const dim4 to{narrow(inner[2].local), slot, narrow(inner[1].local), narrow(inner[0].local)};
        for_loops(loops, loops.size(), tile.first, turned_elements(),
                  [&](std::int64_t loaded, std::int64_t turned) {
                      okk_bdc_32bit_cpy(local_address(turned), local_address(loaded), &shape, &to,
                                        &from);
                  });
    }

    const LaneMovePlan& plan_;
    const LaneMoveMachine& machine_;
    std::int64_t bytes_;
};

void move_axes(std::uint64_t from, std::uint64_t to, const std::vector<NdAxis>& axes,
               int element_bytes) {
    const LaneMoveMachine machine{okk_npu_num(), okk_local_mem_size_per_npu(), element_bytes};
    std::optional<LaneMoveRest> rest;
    const std::optional<LaneMovePlan> plan = plan_lane_move(axes, machine, rest);
    if (!plan) return copy_axes(from, to, axes, element_bytes);
    LaneMover(*plan, machine).run(from, to);
    if (!rest) return;
    std::vector<NdAxis> left = axes;
    NdAxis& axis = left[rest->axis];
    axis.extent -= rest->covered;
    const auto step = [&](std::size_t operand) {
        return static_cast<std::uint64_t>(rest->covered * axis.strides[operand] * element_bytes);
    };
    move_axes(from + step(0), to + step(1), left, element_bytes);
}

}  // namespace

void move_strided(const StridedRegion& from, const StridedRegion& to,
                  std::span<const std::int32_t> dims, int element_bytes) {
    const std::array<NdStrides, 2> operands{from.strides, to.strides};
    std::vector<NdAxis> axes = merged_axes(dims, operands);
    if (element_bytes == 8) {
        axes = halves(std::move(axes), operands.size());
        element_bytes = 4;
    }
    move_axes(from.address, to.address, axes, element_bytes);
}

}  // namespace okksim::kernels
