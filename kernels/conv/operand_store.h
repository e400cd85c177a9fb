// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/conv/step_shapes.h"
#include "kernels/conv/tile_cache.h"
#include "kernels/conv/tiling.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels::conv {

/// Allocates local memory, the same bytes in every lane, from both ends. Buffers that should not
/// share banks with the rest are taken from the end.
class LocalRange {
 public:
    LocalRange(const Lanes& lanes, std::uint32_t bytes) : lanes_(lanes), end_(bytes) {}
    local_addr_t take(std::uint32_t bytes) {
        const local_addr_t address = next_;
        next_ += static_cast<std::uint32_t>(lanes_.whole_line_bytes(bytes));
        return address;
    }
    local_addr_t take_last(std::uint32_t bytes) {
        end_ -= static_cast<std::uint32_t>(lanes_.whole_line_bytes(bytes));
        return end_;
    }
    local_addr_t next() const { return next_; }

 private:
    Lanes lanes_;
    local_addr_t next_ = 0;
    local_addr_t end_;
};

/// Buffers of one operand, and the tiles in them.
class OperandStore {
 public:
    OperandStore(const OperandBuffers& buffers, local_addr_t place)
        : buffers_(buffers),
          packed_(place),
          planes_(place + static_cast<std::uint32_t>(buffers.packed_slots) * buffers.packed_bytes),
          packed_tiles_(buffers.packed_slots),
          plane_tiles_(std::max(buffers.plane_slots, 1)) {}

    /// Clears all buffers, so that elements that no load writes are zero.
    void clear(const Lanes& lanes) const {
        const auto fill = [&lanes](local_addr_t address, int slots, std::uint32_t bytes) {
            const int lines = isa::narrow(slots * std::int64_t{bytes} / lanes.line_bytes());
            const dim4 shape{1, lanes.count, lines, lanes.line_words};
            if (lines > 0) prim::raw::fill({address, shape, std::nullopt}, 0u);
        };
        fill(packed_, buffers_.packed_slots, buffers_.packed_bytes);
        fill(planes_, buffers_.plane_slots, buffers_.plane_bytes);
    }

    /// A tile in local memory, or one that is being loaded.
    struct Tile {
        local_addr_t packed = 0;
        local_addr_t words = 0;  ///< address of the words for products
        bool load = false;
        bool widen = false;
    };
    Tile find(std::int64_t key) {
        Tile tile;
        if (buffers_.plane_slots == 0) {
            const auto place = packed_tiles_.find_or_replace(key);
            tile.packed = packed(place.slot);
            tile.words = tile.packed;
            tile.load = place.fresh;
            tile.widen = place.fresh && buffers_.spread;
            return tile;
        }
        const auto plane = plane_tiles_.find_or_replace(key);
        tile.words = planes_ + static_cast<std::uint32_t>(plane.slot) * buffers_.plane_bytes;
        tile.widen = plane.fresh;
        if (!plane.fresh) return tile;
        // Widening converts spread bytes to words in place, so the packed tile is gone afterwards.
        const auto place = packed_tiles_.find_or_replace(buffers_.spread ? ++spent_key_ : key);
        tile.packed = packed(place.slot);
        tile.load = place.fresh;
        return tile;
    }

 private:
    local_addr_t packed(int slot) const {
        return packed_ + static_cast<std::uint32_t>(slot) * buffers_.packed_bytes;
    }

    const OperandBuffers& buffers_;
    local_addr_t packed_;
    local_addr_t planes_;
    TileCache packed_tiles_;
    TileCache plane_tiles_;
    std::int64_t spent_key_ = 0;  ///< keys of packed tiles that are used once
};

}  // namespace okksim::kernels::conv
