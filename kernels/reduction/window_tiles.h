// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/planning/host.h"
#include "kernels/prim/lanes.h"
#include "kernels/reduction/combiner.h"
#include "kernels/reduction/reduction_plan.h"

/// Windows of fp32 maps, tile by tile, in three commands each: a load, a window command, a store.
/// All of it is decided before the launch, so firmware computes little more than addresses.
namespace okksim::kernels {

/// Maps (group, plane, row, column) whose columns lie side by side; results of a plane lie side by
/// side, row by row. No window meets anything but its map.
struct WindowMaps {
    std::int64_t groups = 1, planes = 1;
    std::int32_t height = 1, width = 1;
    std::int32_t out_height = 1, out_width = 1;
    /// Elements from one to the next: [out, in].
    std::array<std::int64_t, 2> group_strides{}, plane_strides{};
    std::int64_t row_stride = 1;
    WindowShape window;
};

/// A tile is some planes of a group, over the lanes.
struct WindowTiles {
    WindowMaps maps;
    Lanes lanes;
    std::int64_t tile_planes = 1;  ///< the last tile of a group may have fewer
    bool rows_outside = false;     ///< rows of all planes come one after the other when loaded
    // Places in local memory; two of each where there are several tiles.
    local_addr_t in = 0, out = 0;
    std::uint32_t in_bytes = 0, out_bytes = 0;

    std::int64_t tiles() const { return maps.groups * isa::div_up(maps.planes, tile_planes); }
    std::uint64_t argument_words() const { return 30; }
};

/// Two places in system memory, [out, in].
using WindowEnds = std::array<std::uint64_t, 2>;

/// How many of `count` planes that lie side by side a lane takes, at most `most`: divisors of the
/// count, the largest first, of those that leave work for most lanes and a few more.
std::vector<std::int64_t> lane_shares(std::int64_t count, std::int64_t most, const Lanes& lanes);
/// Every way to cut the maps into tiles that is worth a look; none where no command takes them.
void add_window_tiles(const WindowMaps& maps, const isa::MachineShape& machine,
                      std::vector<WindowTiles>& tiles);
/// A reduction as maps, in every way that commands take; none where there is none.
std::vector<WindowMaps> maps_of(const Combiner& combiner, const ReductionSpace& space,
                                const Lanes& lanes);
/// Planner: the fastest; nothing where there are none.
std::optional<WindowTiles> plan_window_tiles(const Combiner& combiner,
                                             const std::vector<WindowMaps>& maps, WindowEnds ends,
                                             Host& host);
/// Firmware: the first `most` tiles.
void run_window_tiles(const Combiner& combiner, const WindowTiles& tiles, WindowEnds ends,
                      std::int64_t most = INT64_MAX);

}  // namespace okksim::kernels
