// SPDX-License-Identifier: Apache-2.0
#include "kernels/tiling/resize_tiles.h"

#include <algorithm>

#include "isa/errors.h"
#include "isa/layout.h"

namespace okksim::kernels {
namespace {

/// A vector instruction takes so many channels.
constexpr std::int64_t kMostChannels = 4095;

/// Input positions that `count` neighbouring outputs need at most.
std::int64_t most_in(const ResizeAxis& axis, std::int64_t count) {
    return ((count - 1) * axis.denominator + axis.numerator - 1) / axis.numerator + 2;
}

}  // namespace

ResizeTile choose_resize_tile(const ResizeSpace& space, std::int64_t lanes,
                              const std::function<bool(const ResizeTile&)>& fits) {
    ResizeTile tile;
    tile.channels = space.channels;
    tile.out_h = space.y.out;
    tile.out_w = space.x.out;
    while (true) {
        tile.in_h = most_in(space.y, tile.out_h);
        tile.in_w = most_in(space.x, tile.out_w);
        if (tile.channels <= kMostChannels && fits(tile)) return tile;
        if (tile.channels > lanes) {
            const std::int64_t half = isa::align_up(isa::div_up(tile.channels, 2), lanes);
            tile.channels = half < tile.channels ? half : lanes;
        } else if (tile.out_h > 1 && (tile.out_h >= 8 || tile.out_w < 64)) {
            tile.out_h = isa::div_up(tile.out_h, 2);
        } else {
            OKKSIM_CHECK(tile.out_w > 1);
            tile.out_w = isa::div_up(tile.out_w, 2);
        }
    }
}

std::vector<ResizeTile> cut_resize_tiles(const ResizeSpace& space, const ResizeTile& largest) {
    std::vector<ResizeTile> tiles;
    ResizeTile tile;
    for (tile.batch = 0; tile.batch < space.batches; ++tile.batch) {
        for (tile.channel = 0; tile.channel < space.channels; tile.channel += largest.channels) {
            tile.channels = std::min(largest.channels, space.channels - tile.channel);
            for (tile.out_y = 0; tile.out_y < space.y.out; tile.out_y += largest.out_h) {
                tile.out_h = std::min(largest.out_h, space.y.out - tile.out_y);
                tile.in_y = space.y.lower(tile.out_y);
                tile.in_h = space.y.in_extent(tile.out_y, tile.out_y + tile.out_h);
                for (tile.out_x = 0; tile.out_x < space.x.out; tile.out_x += largest.out_w) {
                    tile.out_w = std::min(largest.out_w, space.x.out - tile.out_x);
                    tile.in_x = space.x.lower(tile.out_x);
                    tile.in_w = space.x.in_extent(tile.out_x, tile.out_x + tile.out_w);
                    tiles.push_back(tile);
                }
            }
        }
    }
    return tiles;
}

}  // namespace okksim::kernels
