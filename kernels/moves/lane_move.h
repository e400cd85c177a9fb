// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/moves/repeated_command.h"
#include "kernels/tiling/nd_tiles.h"

/// Copies in system memory that go through local memory. Tiles are loaded in the order of the
/// source and stored in the order of the destination, so that only the lanes access single
/// elements. Pure: everything depends only on the arguments.
namespace okksim::kernels {

/// Positions in the strides of a move's axes.
inline constexpr std::size_t kSource = 0, kDestination = 1;

/// Machine parameters of a move.
struct LaneMoveMachine {
    std::int64_t lanes = 64;
    std::int64_t local_bytes = 0;  ///< per lane
    int element_bytes = 4;         ///< 1, 2 or 4
};

/// Remainder of a move: all but the first `covered` elements along one axis.
struct LaneMoveRest {
    std::size_t axis = 0;
    std::int64_t covered = 0;
};

/// A way to cut a space into tiles for local memory.
struct LaneMove {
    std::vector<NdAxis> axes;        ///< strides[0] of the source, strides[1] of the destination
    std::size_t lane_axis = 0;       ///< the axis that is distributed over the lanes
    std::vector<std::int64_t> tile;  ///< extent of a tile along each axis
    bool turns = false;  ///< the compute engine rearranges each lane's part between load and store
    std::optional<LaneMoveRest> rest;
};

/// Returns all ways to move the space `axes`, which are merged. Strides of the destination are
/// positive. Empty if a stride of the source is zero. `splits`: also cuts an axis into equal parts
/// for the lanes, which may leave a remainder.
std::vector<LaneMove> lane_moves(const std::vector<NdAxis>& axes, const LaneMoveMachine& machine,
                                 bool splits);

/// Tiles of a way that have equal extents.
struct LaneMoveBox {
    std::int64_t to = 0;  ///< elements from the space's first one
    std::int64_t from = 0;
    std::vector<CommandLoop> tiles;
    std::vector<std::int64_t> extents;  ///< of a tile along each axis
};
std::vector<LaneMoveBox> boxes_of(const LaneMove& move);

/// Commands that load a box's tile, one for each assignment of its dimensions. Axes along which the
/// source runs backwards are loaded from their lowest address. The lanes reverse them.
std::vector<RepeatedCommand> loads_of(const LaneMove& move, const LaneMoveBox& box);
/// The command that rearranges a tile, for a way that turns.
RepeatedCommand turn_of(const LaneMove& move, const LaneMoveBox& box,
                        const LaneMoveMachine& machine);
/// Commands that store a tile, like loads_of().
std::vector<RepeatedCommand> stores_of(const LaneMove& move, const LaneMoveBox& box,
                                       const LaneMoveMachine& machine);

}  // namespace okksim::kernels
