// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/call/tensor.h"

namespace okksim::kernels {

/// Most tensors in one iteration space.
inline constexpr int kMaxOperands = 6;

/// Element strides of one operand over the dimensions of an iteration space; 0 where it broadcasts.
using NdStrides = std::array<std::int64_t, kMaxRank>;

/// A block of the iteration space that is mapped to local memory as the tensor (1, c, h, w): c over
/// lanes. Every operand sees the same block through its own strides.
struct NdTile {
    std::int32_t c = 1, h = 1, w = 1;
    struct Operand {
        std::int64_t offset = 0;  ///< elements from the operand's start
        std::int64_t c_stride = 0, h_stride = 0, w_stride = 0;
    };
    std::array<Operand, kMaxOperands> operands{};

    std::int64_t count() const { return std::int64_t{c} * h * w; }
};

/// Limits of a tile.
struct NdLimits {
    std::int32_t lanes = 1;
    std::int32_t channels = 1;           ///< most channels of a tile: a multiple of lanes
    std::int32_t words_per_channel = 0;  ///< most h * w elements of a tile
    /// Long pieces of a dimension that is cut for the lanes are multiples of this number of
    /// elements.
    std::int32_t piece_unit = 1;

    bool operator==(const NdLimits&) const = default;
};

using NdOffsets = std::array<std::int64_t, kMaxOperands>;

/// One dimension of an iteration space with every operand's stride along it.
struct NdAxis {
    std::int64_t extent = 1;
    NdOffsets strides{};
};

/// The space `dims` with dimensions of extent 1 dropped, ordered by the last operand's strides
/// (innermost first) and merged where all operands allow it. At least one axis.
std::vector<NdAxis> merged_axes(std::span<const std::int32_t> dims,
                                std::span<const NdStrides> operands);
/// Merges a space given as axes in any order and number.
std::vector<NdAxis> merged_axes(std::vector<NdAxis> axes, std::size_t operands);

/// Strides of `tensor` over the dimensions `dims` of an output to which it broadcasts: dimension i
/// of the tensor has extent dims[i] or 1.
NdStrides broadcast_strides(const DeviceTensor& tensor, std::span<const std::int32_t> dims);

/// Part of a space of three dimensions, cut into tiles along each.
struct NdBlock {
    NdOffsets start{};
    NdAxis c, h, w;
    std::int32_t tile_c = 1, tile_h = 1, tile_w = 1;  ///< the last ones may be shorter

    std::int64_t tiles() const;
};

/// A space cut into tiles: at every point of the loops all blocks, one after the other.
struct NdTiling {
    std::size_t operands = 0;
    std::vector<NdAxis> loops;  ///< innermost first
    std::vector<NdBlock> blocks;

    std::int64_t tiles() const;
    /// A tile of at least the extents of every tile, in every dimension.
    NdTile largest() const;
    std::uint64_t argument_words() const;
};

/// Cuts the iteration space into tiles that cover every point once. `axes`: merged. The dimension
/// with unit stride in the most operands becomes w. Pure.
NdTiling cut_into_tiles(const std::vector<NdAxis>& axes, std::size_t operands,
                        const NdLimits& limits);

/// The tile at (c, h, w) of a block; `start` is the start of the block for every operand.
NdTile tile_at(const NdTiling& tiling, const NdBlock& block, const NdOffsets& start, std::int64_t c,
               std::int64_t h, std::int64_t w);

/// Calls `visit` with every tile, or with the first `most`.
template <typename Visit>
void for_each_tile(const NdTiling& tiling, const Visit& visit, std::int64_t most = INT64_MAX) {
    NdOffsets point{};
    std::array<std::int64_t, kMaxRank> index{};
    for (;;) {
        for (const NdBlock& block : tiling.blocks) {
            for (std::int64_t c = 0; c < block.c.extent; c += block.tile_c) {
                for (std::int64_t h = 0; h < block.h.extent; h += block.tile_h) {
                    for (std::int64_t w = 0; w < block.w.extent; w += block.tile_w) {
                        if (most-- == 0) return;
                        visit(tile_at(tiling, block, point, c, h, w));
                    }
                }
            }
        }
        std::size_t i = 0;
        for (; i < tiling.loops.size(); ++i) {
            const NdAxis& loop = tiling.loops[i];
            const std::int64_t step = ++index[i] < loop.extent ? 1 : 1 - loop.extent;
            for (std::size_t k = 0; k < tiling.operands; ++k) point[k] += step * loop.strides[k];
            if (step == 1) break;
            index[i] = 0;
        }
        if (i == tiling.loops.size()) return;
    }
}

}  // namespace okksim::kernels
