// SPDX-License-Identifier: Apache-2.0
#include "kernels/tiling/resize_tiles.h"

#include <algorithm>

#include "isa/errors.h"
#include "isa/layout.h"

namespace okksim::kernels {
namespace {

/// A vector instruction takes so many channels.
constexpr std::int64_t kMostChannels = 4095;

/// Output positions [begin, end).
struct Range {
    std::int64_t begin = 0, end = 0;
    std::int64_t extent() const { return end - begin; }
};

/// Input positions that `count` neighbouring outputs need at most.
std::int64_t most_in(const ResizeAxis& axis, std::int64_t count) {
    return ((count - 1) * axis.denominator + axis.numerator - 1) / axis.numerator + 2;
}

class TileCutter {
 public:
    TileCutter(const ResizeSpace& space, std::int64_t lanes,
               const std::function<bool(const ResizeTile&)>& fits)
        : space_(space), lanes_(lanes), fits_(fits) {}

    std::vector<ResizeTile> cut() {
        const Range all{0, space_.y.out};
        const Range banded = cut_bands();
        cut_blocks({all.begin, banded.begin});
        cut_blocks({banded.end, all.end});
        return std::move(tiles_);
    }

 private:
    /// Sets the input extents of a tile that may lie anywhere.
    ResizeTile sized(ResizeTile tile) const {
        tile.in_h = most_in(space_.y, tile.out_h);
        tile.in_w = most_in(space_.x, tile.out_w);
        return tile;
    }

    /// Cuts as many rows as possible into bands; gives the rows, none when bands are of no use.
    Range cut_bands() {
        const Range none{0, 0};
        if (2 * space_.channels > lanes_) return none;
        const Range inside = rows_inside();
        ResizeTile band;
        band.bands = lanes_;
        band.channels = lanes_;
        band.out_w = space_.x.out;
        const std::int64_t period = space_.y.out_step();
        std::int64_t periods = std::max<std::int64_t>(inside.extent(), 0) / period / lanes_;
        if (periods == 0) return none;
        while (true) {
            band.out_h = periods * period;
            if (fits_(sized(band))) break;
            if (periods > 1) {
                periods = isa::div_up(periods, 2);
            } else if (band.out_w > 64) {
                band.out_w = isa::div_up(band.out_w, 2);
            } else {
                return none;
            }
        }
        const std::int64_t step = lanes_ * band.out_h;
        const Range rows{inside.begin, inside.begin + inside.extent() / step * step};
        for (band.batch = 0; band.batch < space_.batches; ++band.batch) {
            for (band.channel = 0; band.channel < space_.channels; ++band.channel) {
                for (std::int64_t y = rows.begin; y < rows.end; y += step) {
                    add_row_of_tiles(band, y, band.out_h, band.out_w);
                }
            }
        }
        return rows;
    }

    /// Output rows all of whose neighbours lie in the image.
    Range rows_inside() const {
        Range rows{0, space_.y.out};
        while (rows.begin < rows.end && space_.y.lower(rows.begin) < 0) ++rows.begin;
        while (rows.begin < rows.end && space_.y.lower(rows.end - 1) + 1 >= space_.y.in) --rows.end;
        return rows;
    }

    /// Cuts rows into tiles with channels over the lanes.
    void cut_blocks(const Range& rows) {
        if (rows.extent() == 0) return;
        const ResizeTile largest = choose_block(rows.extent());
        ResizeTile tile;
        for (tile.batch = 0; tile.batch < space_.batches; ++tile.batch) {
            for (tile.channel = 0; tile.channel < space_.channels;
                 tile.channel += largest.channels) {
                tile.channels = std::min(largest.channels, space_.channels - tile.channel);
                for (std::int64_t y = rows.begin; y < rows.end; y += largest.out_h) {
                    add_row_of_tiles(tile, y, std::min(largest.out_h, rows.end - y), largest.out_w);
                }
            }
        }
    }

    ResizeTile choose_block(std::int64_t rows) const {
        ResizeTile tile;
        tile.channels = space_.channels;
        tile.out_h = rows;
        tile.out_w = space_.x.out;
        while (tile.channels > kMostChannels || !fits_(sized(tile))) {
            if (tile.channels > lanes_) {
                const std::int64_t half = isa::align_up(isa::div_up(tile.channels, 2), lanes_);
                tile.channels = half < tile.channels ? half : lanes_;
            } else if (tile.out_h > 1 && (tile.out_h >= 8 || tile.out_w < 64)) {
                tile.out_h = isa::div_up(tile.out_h, 2);
            } else {
                OKKSIM_CHECK(tile.out_w > 1);
                tile.out_w = isa::div_up(tile.out_w, 2);
            }
        }
        return tile;
    }

    void add_row_of_tiles(ResizeTile tile, std::int64_t y, std::int64_t rows, std::int64_t width) {
        tile.out_y = y;
        tile.out_h = rows;
        tile.in_y = space_.y.lower(y);
        tile.in_h = space_.y.in_extent(y, y + rows);
        for (tile.out_x = 0; tile.out_x < space_.x.out; tile.out_x += width) {
            tile.out_w = std::min(width, space_.x.out - tile.out_x);
            tile.in_x = space_.x.lower(tile.out_x);
            tile.in_w = space_.x.in_extent(tile.out_x, tile.out_x + tile.out_w);
            tiles_.push_back(tile);
        }
    }

    const ResizeSpace& space_;
    std::int64_t lanes_;
    const std::function<bool(const ResizeTile&)>& fits_;
    std::vector<ResizeTile> tiles_;
};

}  // namespace

std::vector<ResizeTile> cut_resize_tiles(const ResizeSpace& space, std::int64_t lanes,
                                         const std::function<bool(const ResizeTile&)>& fits) {
    return TileCutter(space, lanes, fits).cut();
}

}  // namespace okksim::kernels
