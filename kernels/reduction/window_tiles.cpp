// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduction/window_tiles.h"

#include <algorithm>
#include <utility>

#include "firmware/okk.h"
#include "isa/layout.h"
#include "isa/limits.h"
#include "kernels/call/computing.h"
#include "kernels/planning/fastest.h"
#include "kernels/tiling/local_planes.h"
#include "kernels/tiling/tile_pipeline.h"

namespace okksim::kernels {
namespace {

using isa::narrow;

constexpr std::size_t kOut = 0, kIn = 1;
/// Sizes of tiles, and of pieces over the lanes, that are priced.
constexpr std::size_t kPricedTiles = 5, kPricedPieces = 6;

bool fits_command(const WindowMaps& maps) {
    return std::max(maps.height, maps.width) <= isa::kMostWindowExtent &&
           std::max(maps.window.stride.h, maps.window.stride.w) <= isa::kMostStep;
}

/// The planes of a tile as the dimensions n and c of a command. If c alone would be too long, n
/// counts slots of all lanes.
std::optional<dim4> planes_shape(std::int64_t planes, const Lanes& lanes) {
    if (planes <= isa::kMostChannels) return dim4{1, narrow(planes), 1, 1};
    if (planes % lanes.count != 0 || planes / lanes.count > isa::kMostBatch) return std::nullopt;
    return dim4{narrow(planes / lanes.count), lanes.count, 1, 1};
}

/// Words of a plane in its lane.
std::int64_t plane_words(const Lanes& lanes, std::int32_t height, std::int32_t width) {
    return lanes.whole_lines(std::int64_t{height} * width);
}

/// Allocates a tile. Returns false if local memory or commands cannot hold it.
bool place(WindowTiles& tiles, std::int64_t local_bytes) {
    const WindowMaps& maps = tiles.maps;
    const std::int64_t rest = maps.planes % tiles.tile_planes;
    if (!planes_shape(tiles.tile_planes, tiles.lanes)) return false;
    if (rest > 0 && !planes_shape(rest, tiles.lanes)) return false;
    const std::int64_t slots = tiles.lanes.slots(tiles.tile_planes),
                       buffers = tiles.tiles() > 1 ? 2 : 1;
    const std::int64_t in =
        slots * isa::kWordBytes * plane_words(tiles.lanes, maps.height, maps.width);
    const std::int64_t out =
        slots * isa::kWordBytes * plane_words(tiles.lanes, maps.out_height, maps.out_width);
    if (buffers * (in + out) > local_bytes) return false;
    tiles.in_bytes = static_cast<std::uint32_t>(in);
    tiles.out_bytes = static_cast<std::uint32_t>(out);
    tiles.out = static_cast<local_addr_t>(buffers * in);
    return true;
}

/// Divisors of a number up to `most`, the largest first.
std::vector<std::int64_t> divisors(std::int64_t number, std::int64_t most) {
    std::vector<std::int64_t> all;
    for (std::int64_t d = std::min(number, most); d > 0; --d) {
        if (number % d == 0) all.push_back(d);
    }
    return all;
}

/// Reduces rows of `n` values to one value each: `rows` rows side by side in a lane.
void add_inner(const ReductionSpace& space, const Lanes& lanes, std::vector<WindowMaps>& all) {
    if (space.axes.size() != 1 || space.stride != 1) return;
    const NdAxis& rows = space.axes.front();
    const bool dense =
        rows.strides[kReductionIn] == space.extent && rows.strides[kReductionOut] == 1;
    const auto add = [&](std::int64_t share, std::int64_t height, std::int64_t width) {
        WindowMaps maps;
        maps.planes = rows.extent / share;
        maps.height = narrow(share * height);
        maps.width = narrow(width);
        maps.row_stride = width;
        maps.out_height = narrow(share);
        maps.window.height = narrow(height);
        maps.window.width = narrow(width);
        maps.plane_strides = {share * rows.strides[kReductionOut],
                              share * rows.strides[kReductionIn]};
        all.push_back(maps);
    };
    // Rows that are too long for a command are a window of several lines.
    const std::int64_t width = divisors(space.extent, isa::kMostWindowExtent).front();
    if (width != space.extent) return add(1, space.extent / width, width);
    const std::int64_t most = dense ? isa::kMostWindowExtent : 1;
    for (const std::int64_t share : lane_shares(rows.extent, most, lanes)) add(share, 1, width);
}

/// Reduces columns of `r` values to one value each; a line has several columns.
void add_outer(const ReductionSpace& space, const Lanes& lanes, std::vector<WindowMaps>& all) {
    const std::size_t axes = space.axes.size();
    const NdAxis& line = space.axes.front();
    if (axes > 2 || line.strides[kReductionIn] != 1 || line.strides[kReductionOut] != 1) return;
    if (space.extent > isa::kMostWindowExtent) return;
    const NdAxis none;
    const NdAxis& blocks = axes == 2 ? space.axes[1] : none;
    WindowMaps maps;
    maps.row_stride = space.stride;
    maps.window.height = narrow(space.extent);
    // Blocks over the lanes, some side by side in one lane.
    const bool dense = space.stride == line.extent &&
                       blocks.strides[kReductionIn] == space.extent * space.stride &&
                       blocks.strides[kReductionOut] == line.extent;
    const std::int64_t most =
        dense && space.extent <= isa::kMostStep ? isa::kMostWindowExtent / space.extent : 1;
    if (line.extent <= isa::kMostWindowExtent) {
        for (const std::int64_t share : lane_shares(blocks.extent, most, lanes)) {
            WindowMaps own = maps;
            own.planes = blocks.extent / share;
            own.height = narrow(share * space.extent);
            own.width = narrow(line.extent);
            own.out_height = narrow(share);
            own.out_width = own.width;
            if (share > 1) own.window.stride.h = narrow(space.extent);
            own.plane_strides = {share * blocks.strides[kReductionOut],
                                 share * blocks.strides[kReductionIn]};
            all.push_back(own);
        }
    }
    // Pieces of the line over the lanes, block after block.
    for (const std::int64_t piece : lane_shares(line.extent, isa::kMostWindowExtent, lanes)) {
        WindowMaps own = maps;
        own.groups = blocks.extent;
        own.planes = line.extent / piece;
        own.height = narrow(space.extent);
        own.width = own.out_width = narrow(piece);
        own.group_strides = {blocks.strides[kReductionOut], blocks.strides[kReductionIn]};
        own.plane_strides = {piece, piece};
        all.push_back(own);
    }
}

/// A step of a TilePipeline.
struct WindowStep {
    std::array<std::int64_t, 2> offset{};  ///< elements, [out, in]
    std::int32_t planes = 0;
};

class WindowStages {
 public:
    WindowStages(const Combiner& combiner, const WindowTiles& tiles, const WindowEnds& ends)
        : combiner_(combiner),
          tiles_(tiles),
          ends_(ends),
          in_plane_(narrow(plane_words(tiles.lanes, tiles.maps.height, tiles.maps.width))),
          out_plane_(
              narrow(plane_words(tiles.lanes, tiles.maps.out_height, tiles.maps.out_width))) {}

    void load(const WindowStep& step, int buffer) const {
        const WindowMaps& maps = tiles_.maps;
        const int plane = narrow(maps.plane_strides[kIn]);
        dim4 shape{1, step.planes, maps.height, maps.width};
        dim4 local{0, in_plane_, maps.width, 1}, system{0, plane, narrow(maps.row_stride), 1};
        if (maps.row_stride == maps.width) {
            shape.w *= std::exchange(shape.h, 1);
        } else if (tiles_.rows_outside) {
            shape.n = std::exchange(shape.h, 1);
            local.n = std::exchange(local.h, 0);
            system.n = std::exchange(system.h, 0);
        }
        okk_gdma_32bit_cpy_S2L(in_of(buffer), address(kIn, step), &shape, &local, &system);
    }
    void compute(const WindowStep& step, int buffer) const {
        const WindowMaps& maps = tiles_.maps;
        const dim4 planes = *planes_shape(step.planes, tiles_.lanes);
        const prim::LocalTensor words{
            in_of(buffer), {planes.n, planes.c, maps.height, maps.width}, std::nullopt};
        const prim::LocalTensor results{
            out_of(buffer), {planes.n, planes.c, maps.out_height, maps.out_width}, std::nullopt};
        combiner_.combine_window(results, words, maps.window);
    }
    void store(const WindowStep& step, int buffer) const {
        const WindowMaps& maps = tiles_.maps;
        const dim4 shape{1, step.planes, 1, maps.out_height * maps.out_width};
        const dim4 local{0, out_plane_, 0, 1}, system{0, narrow(maps.plane_strides[kOut]), 0, 1};
        okk_gdma_32bit_cpy_L2S(address(kOut, step), out_of(buffer), &shape, &system, &local);
    }

 private:
    local_addr_t in_of(int buffer) const {
        return tiles_.in + static_cast<local_addr_t>(buffer) * tiles_.in_bytes;
    }
    local_addr_t out_of(int buffer) const {
        return tiles_.out + static_cast<local_addr_t>(buffer) * tiles_.out_bytes;
    }
    std::uint64_t address(std::size_t end, const WindowStep& step) const {
        return ends_[end] + static_cast<std::uint64_t>(isa::kWordBytes * step.offset[end]);
    }

    const Combiner& combiner_;
    const WindowTiles& tiles_;
    const WindowEnds& ends_;
    int in_plane_, out_plane_;
};

}  // namespace

std::vector<std::int64_t> lane_shares(std::int64_t count, std::int64_t most, const Lanes& lanes) {
    std::vector<std::int64_t> all;
    for (const std::int64_t share : divisors(count, most)) {
        const std::int64_t used = count / share;
        const std::int64_t slots = lanes.slots(used);
        if (2 * used < slots * lanes.count && used > 1) continue;
        all.push_back(share);
        if (all.size() == kPricedPieces) break;
    }
    return all;
}

void add_window_tiles(const WindowMaps& maps, const isa::MachineShape& machine,
                      std::vector<WindowTiles>& tiles) {
    if (!fits_command(maps)) return;
    WindowTiles own;
    own.maps = maps;
    own.lanes = lanes_of(machine);
    own.rows_outside = maps.row_stride > maps.plane_strides[kIn] && maps.planes > 1;
    std::size_t fitting = 0;
    std::int64_t before = 0;
    // Each number of tiles is about a third larger than the previous one.
    for (std::int64_t count = 1; fitting < kPricedTiles; count += isa::div_up(count, 3)) {
        const std::int64_t share = isa::div_up(maps.planes, count);
        own.tile_planes = share < maps.planes
                              ? std::min(maps.planes, isa::align_up(share, machine.lanes))
                              : share;
        if (own.tile_planes == before) {
            if (own.tile_planes <= machine.lanes) return;
            continue;
        }
        before = own.tile_planes;
        if (!place(own, machine.local_bytes)) continue;
        tiles.push_back(own);
        ++fitting;
    }
}

std::vector<WindowMaps> maps_of(const Combiner& combiner, const ReductionSpace& space,
                                const Lanes& lanes) {
    const auto is_word = [](const ReductionEnd& end) {
        return end.type == tosa::DType::kFp32 && end.form == WordForm::kValue;
    };
    std::vector<WindowMaps> all;
    if (!combiner.has_window() || !is_word(space.in) || !is_word(space.out)) return all;
    add_inner(space, lanes, all);
    add_outer(space, lanes, all);
    return all;
}

std::optional<WindowTiles> plan_window_tiles(const Combiner& combiner,
                                             const std::vector<WindowMaps>& maps, WindowEnds ends,
                                             Host& host) {
    std::vector<WindowTiles> candidates;
    for (const WindowMaps& each : maps) add_window_tiles(each, host.machine(), candidates);
    if (candidates.empty()) return std::nullopt;
    return fastest_plan(
        std::move(candidates), host, [&](const WindowTiles& tiles) -> SteppedFirmware {
            const double volume = static_cast<double>(tiles.maps.groups * tiles.maps.planes) /
                                  static_cast<double>(tiles.tile_planes);
            return {tiles.tiles(), volume,
                    [&](std::int64_t most) { run_window_tiles(combiner, tiles, ends, most); }};
        });
}

void run_window_tiles(const Combiner& combiner, const WindowTiles& tiles, WindowEnds ends,
                      std::int64_t most) {
    charge(OwnWork::kWindowTiles);
    WindowStages stages(combiner, tiles, ends);
    TilePipeline<WindowStep, WindowStages> pipeline(stages);
    const WindowMaps& maps = tiles.maps;
    WindowStep step;
    for (std::int64_t group = 0; group < maps.groups; ++group) {
        for (std::int64_t plane = 0; plane < maps.planes; plane += tiles.tile_planes) {
            if (most-- == 0) return pipeline.finish();
            charge(OwnWork::kWindowTile);
            step.planes = narrow(std::min(tiles.tile_planes, maps.planes - plane));
            for (const std::size_t end : {kOut, kIn}) {
                step.offset[end] =
                    group * maps.group_strides[end] + plane * maps.plane_strides[end];
            }
            pipeline.push(step);
        }
    }
    pipeline.finish();
}

}  // namespace okksim::kernels
