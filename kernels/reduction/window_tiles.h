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

/// Windows of fp32 feature maps. Each tile takes three commands: a load, a window command, a store.
/// Everything is decided before the launch, so firmware computes little more than addresses.
namespace okksim::kernels {

/// Feature maps (group, plane, row, column) with contiguous columns. Results of a plane are
/// contiguous, row by row. No window extends beyond its feature map.
struct WindowMaps {
    std::int64_t groups = 1, planes = 1;
    std::int32_t height = 1, width = 1;
    std::int32_t out_height = 1, out_width = 1;
    /// Element strides: [out, in].
    std::array<std::int64_t, 2> group_strides{}, plane_strides{};
    std::int64_t row_stride = 1;
    WindowShape window;
};

/// A tile is some planes of a group, over the lanes.
struct WindowTiles {
    WindowMaps maps;
    Lanes lanes;
    std::int64_t tile_planes = 1;  ///< the last tile of a group may have fewer
    bool rows_outside = false;     ///< loads process the same row of all planes before the next row
    // Addresses in local memory; two buffers each if there are several tiles.
    local_addr_t in = 0, out = 0;
    std::uint32_t in_bytes = 0, out_bytes = 0;

    std::int64_t tiles() const { return maps.groups * isa::div_up(maps.planes, tile_planes); }
    std::uint64_t argument_words() const { return 30; }
};

/// Two addresses in system memory, [out, in].
using WindowEnds = std::array<std::uint64_t, 2>;

/// Numbers of contiguous planes per lane, at most `most`. They are divisors of `count`, the largest
/// first, that leave work for most lanes.
std::vector<std::int64_t> lane_shares(std::int64_t count, std::int64_t most, const Lanes& lanes);
/// Adds all promising ways to cut the feature maps into tiles; none if no command supports them.
void add_window_tiles(const WindowMaps& maps, const isa::MachineShape& machine,
                      std::vector<WindowTiles>& tiles);
/// Returns a reduction as feature maps, in all ways that commands support; may be empty.
std::vector<WindowMaps> maps_of(const Combiner& combiner, const ReductionSpace& space,
                                const Lanes& lanes);
/// Planner: the fastest tiles; nothing if there are none.
std::optional<WindowTiles> plan_window_tiles(const Combiner& combiner,
                                             const std::vector<WindowMaps>& maps, WindowEnds ends,
                                             Host& host);
/// Firmware: the first `most` tiles.
void run_window_tiles(const Combiner& combiner, const WindowTiles& tiles, WindowEnds ends,
                      std::int64_t most = INT64_MAX);

}  // namespace okksim::kernels
