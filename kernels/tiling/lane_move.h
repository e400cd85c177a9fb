// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/tiling/nd_tiles.h"

/// Copies in system memory that go through local memory: tiles are loaded in the order of the
/// source and stored in the order of the destination, so that only the lanes see single elements.
/// Pure: everything depends on the arguments alone.
namespace okksim::kernels {

/// What a move has to work with.
struct LaneMoveMachine {
    std::int64_t lanes = 64;
    std::int64_t local_bytes = 0;  ///< per lane
    int element_bytes = 4;         ///< 1, 2 or 4
};

/// How to cut a space into tiles for local memory.
struct LaneMovePlan {
    std::vector<NdAxis> axes;        ///< strides[0] of the source, strides[1] of the destination
    std::size_t lane_axis = 0;       ///< the axis that is spread over the lanes
    std::vector<std::int64_t> tile;  ///< extent of a tile along each axis
    bool rearranges = false;  ///< the compute engine turns each lane's part around in between
};

/// What a plan leaves over: all but the first `covered` elements along one axis.
struct LaneMoveRest {
    std::size_t axis = 0;
    std::int64_t covered = 0;
};

/// Chooses a plan for the space `axes`, which are merged, or none when one copy within system
/// memory costs less. Strides of the destination are positive, those of the source not zero.
std::optional<LaneMovePlan> plan_lane_move(const std::vector<NdAxis>& axes,
                                           const LaneMoveMachine& machine,
                                           std::optional<LaneMoveRest>& rest);

/// One dimension of a command between system and local memory; strides count elements.
struct LaneMoveAxis {
    std::int64_t extent = 1;
    std::int64_t system = 0;
    std::int64_t local = 0;
};

/// Commands of one side of a tile: dimensions w, h, c, n and the loops around them, innermost
/// first.
struct LaneMoveCommands {
    std::array<LaneMoveAxis, 4> inner;
    std::vector<LaneMoveAxis> loops;
};

/// A tile of a plan with its actual extents. Axes along which the source runs backwards are loaded
/// from their lowest address; the lanes turn them around.
struct LaneMoveTile {
    LaneMoveCommands load;
    LaneMoveCommands store;
    /// For a plan that rearranges: axes with the local strides of the loaded form as `system` and
    /// those of the stored form as `local`.
    std::vector<LaneMoveAxis> turn;
    std::int64_t slot_elements = 0;  ///< elements per channel slot of a lane
    std::int64_t first = 0;          ///< where the tile's first element lies in the loaded form
};
LaneMoveTile lane_move_tile(const LaneMovePlan& plan, const std::vector<std::int64_t>& extents,
                            const LaneMoveMachine& machine);

}  // namespace okksim::kernels
