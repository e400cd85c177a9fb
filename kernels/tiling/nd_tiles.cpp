// SPDX-License-Identifier: Apache-2.0
#include "kernels/tiling/nd_tiles.h"

#include <algorithm>
#include <cstdlib>

#include "isa/base/errors.h"
#include "isa/layout.h"
#include "kernels/tiling/lane_use.h"

namespace okksim::kernels {
namespace {

/// Most numbers of pieces that are tried to avoid a remainder.
constexpr std::int64_t kPieceTrials = 256;

/// True when stepping over all of `inner` is one step of `outer`, for every operand.
bool mergeable(const NdAxis& inner, const NdAxis& outer, std::size_t operands) {
    for (std::size_t k = 0; k < operands; ++k) {
        if (outer.strides[k] != inner.strides[k] * inner.extent) return false;
    }
    return true;
}

/// Chooses `w`, `h` and `c` among the axes of a space; the others are loops.
class Cutter {
 public:
    Cutter(std::size_t operands, const NdLimits& limits) : limits_(limits) {
        tiling_.operands = operands;
    }

    NdTiling cut(const std::vector<NdAxis>& axes) {
        if (const std::int64_t piece = split_of(axes); piece > 0) {
            cut_split(axes, piece);
        } else {
            cut_whole(axes);
        }
        return std::move(tiling_);
    }

 private:
    void cut_whole(const std::vector<NdAxis>& axes) {
        const std::size_t channel = channel_axis(axes);
        const NdAxis inner = axes[0];
        NdAxis lanes;
        if (channel > 0) lanes = axes[channel];
        std::vector<NdAxis>& rest = tiling_.loops;
        for (std::size_t i = 1; i < axes.size(); ++i) {
            if (i != channel) rest.push_back(axes[i]);
        }
        NdAxis rows;
        const std::int64_t w = std::min<std::int64_t>(inner.extent, limits_.words_per_channel);
        if (2 * w <= limits_.words_per_channel) {
            if (!rest.empty()) {
                rows = rest.front();
                rest.erase(rest.begin());
            } else if (lanes.extent >= std::int64_t{2} * limits_.lanes) {
                cut_rows(inner, lanes);
                return;
            }
        }
        add(inner, rows, lanes, {});
    }

    /// Length of the pieces into which the innermost axis is cut to give every lane one. 0 if
    /// another axis fills the lanes.
    std::int64_t split_of(const std::vector<NdAxis>& axes) const {
        bool fills = false;  // half of the lanes or more
        for (std::size_t i = 1; i < axes.size(); ++i) {
            fills = fills || 2 * axes[i].extent >= isa::align_up(axes[i].extent, limits_.lanes);
        }
        const std::int64_t extent = axes[0].extent;
        if (fills || extent < std::int64_t{2} * limits_.lanes) {
            // A single short axis still spreads over the lanes, one element each.
            return axes.size() == 1 && extent > 1 ? isa::div_up(extent, limits_.lanes) : 0;
        }
        return piece_of(extent, limits_.words_per_channel);
    }

    /// Extent of the pieces of at most `most` into which `extent` is cut for the lanes. The result
    /// gives the fewest tiles, of equal size. It avoids a remainder, which would be a separate
    /// tile, if a nearby size allows it.
    std::int64_t piece_of(std::int64_t extent, std::int64_t most) const {
        const std::int64_t tiles = isa::div_up(extent, limits_.lanes * most);
        const std::int64_t pieces = limits_.lanes * tiles;
        const std::int64_t fewest = std::max(pieces - pieces / 4, pieces - kPieceTrials);
        for (std::int64_t count = pieces; count >= std::max<std::int64_t>(1, fewest); --count) {
            if (extent % count == 0 && extent / count <= most) return extent / count;
        }
        const std::int64_t piece = isa::div_up(extent, pieces);
        const std::int64_t unit = limits_.piece_unit;
        return std::min(most, piece > unit ? isa::align_up(piece, unit) : piece);
    }

    void cut_split(const std::vector<NdAxis>& axes, std::int64_t piece) {
        const NdAxis whole = axes[0];
        const std::int64_t pieces = whole.extent / piece;
        const std::int64_t rest = whole.extent - pieces * piece;
        const NdAxis inner{piece, whole.strides};
        NdAxis outer{pieces, whole.strides};
        for (std::int64_t& stride : outer.strides) stride *= piece;
        std::vector<NdAxis>& others = tiling_.loops;
        others.assign(axes.begin() + 1, axes.end());
        NdAxis rows;
        if (!others.empty() && 2 * piece <= limits_.words_per_channel) {
            rows = others.front();
            others.erase(others.begin());
        }
        add(inner, rows, outer, {});
        if (rest > 0) add({rest, whole.strides}, rows, NdAxis{}, offset(outer, pieces), piece);
    }

    /// Two dimensions of which the outer one is longer than the lanes: every lane gets a run of its
    /// rows.
    void cut_rows(const NdAxis& inner, const NdAxis& whole) {
        const std::int64_t run = piece_of(whole.extent, limits_.words_per_channel / inner.extent);
        NdAxis lanes{whole.extent / run, whole.strides};
        for (std::int64_t& stride : lanes.strides) stride *= run;
        add(inner, {run, whole.strides}, lanes, {});
        const std::int64_t rest = whole.extent - lanes.extent * run;
        if (rest > 0) add(inner, {rest, whole.strides}, NdAxis{}, offset(lanes, lanes.extent));
    }

    std::size_t channel_axis(const std::vector<NdAxis>& axes) const {
        std::size_t best = 0;
        double best_use = 0;
        for (std::size_t i = 1; i < axes.size(); ++i) {
            const double use = lane_use(axes[i].extent, limits_.lanes);
            if (use > best_use) {
                best = i;
                best_use = use;
            }
        }
        return best;
    }

    static NdOffsets offset(const NdAxis& axis, std::int64_t steps) {
        NdOffsets offsets = axis.strides;
        for (std::int64_t& each : offsets) each *= steps;
        return offsets;
    }

    /// `width`: extent along w that determines the number of rows, if it is not that of `inner`. No
    /// tile may have more rows than the largest one.
    void add(const NdAxis& inner, const NdAxis& rows, const NdAxis& lanes, const NdOffsets& start,
             std::int64_t width = 0) {
        const std::int64_t w = std::min<std::int64_t>(inner.extent, limits_.words_per_channel);
        const std::int64_t h = std::clamp<std::int64_t>(
            limits_.words_per_channel / std::max(width, w), 1, rows.extent);
        const std::int64_t c = std::min<std::int64_t>(lanes.extent, limits_.channels);
        tiling_.blocks.push_back({start, lanes, rows, inner, static_cast<std::int32_t>(c),
                                  static_cast<std::int32_t>(h), static_cast<std::int32_t>(w)});
    }

    NdLimits limits_;
    NdTiling tiling_;
};

}  // namespace

NdStrides broadcast_strides(const DeviceTensor& tensor, std::span<const std::int32_t> dims) {
    OKKSIM_CHECK(tensor.rank == static_cast<int>(dims.size()));
    NdStrides strides{};
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const bool broadcasts = tensor.dims[i] == 1 && dims[i] != 1;
        OKKSIM_CHECK(broadcasts || tensor.dims[i] == dims[i]);
        strides[i] = broadcasts ? 0 : tensor.strides[i];
    }
    return strides;
}

std::vector<NdAxis> merged_axes(std::vector<NdAxis> axes, std::size_t operands) {
    const auto unused = [](const NdAxis& axis) { return axis.extent == 1; };
    axes.erase(std::remove_if(axes.begin(), axes.end(), unused), axes.end());
    if (operands > 0) {
        std::stable_sort(axes.begin(), axes.end(), [&](const NdAxis& a, const NdAxis& b) {
            return std::abs(a.strides[operands - 1]) < std::abs(b.strides[operands - 1]);
        });
    }
    std::vector<NdAxis> merged;
    for (const NdAxis& axis : axes) {
        if (!merged.empty() && mergeable(merged.back(), axis, operands)) {
            merged.back().extent *= axis.extent;
        } else {
            merged.push_back(axis);
        }
    }
    if (merged.empty()) merged.emplace_back();
    return merged;
}

std::vector<NdAxis> merged_axes(std::span<const std::int32_t> dims,
                                std::span<const NdStrides> operands) {
    OKKSIM_CHECK(operands.size() <= kMaxOperands);
    std::vector<NdAxis> axes;
    for (std::size_t i = dims.size(); i-- > 0;) {
        NdAxis axis;
        axis.extent = dims[i];
        for (std::size_t k = 0; k < operands.size(); ++k) axis.strides[k] = operands[k][i];
        axes.push_back(axis);
    }
    return merged_axes(std::move(axes), operands.size());
}

std::int64_t NdBlock::tiles() const {
    return isa::div_up(c.extent, tile_c) * isa::div_up(h.extent, tile_h) *
           isa::div_up(w.extent, tile_w);
}

std::int64_t NdTiling::tiles() const {
    std::int64_t count = 0;
    for (const NdBlock& block : blocks) count += block.tiles();
    for (const NdAxis& loop : loops) count *= loop.extent;
    return count;
}

NdTile NdTiling::largest() const { return tile_at(*this, blocks.front(), {}, 0, 0, 0); }

std::uint64_t NdTiling::argument_words() const {
    const std::uint64_t axis = 1 + operands;
    const std::uint64_t block = 3 * axis + operands + 3;
    return 1 + loops.size() * axis + blocks.size() * block;
}

NdTiling cut_into_tiles(const std::vector<NdAxis>& axes, std::size_t operands,
                        const NdLimits& limits) {
    OKKSIM_CHECK(operands <= kMaxOperands);
    OKKSIM_CHECK(limits.words_per_channel > 0 && limits.channels >= limits.lanes);
    return Cutter(operands, limits).cut(axes);
}

NdTile tile_at(const NdTiling& tiling, const NdBlock& block, const NdOffsets& start, std::int64_t c,
               std::int64_t h, std::int64_t w) {
    NdTile tile;
    tile.c = static_cast<std::int32_t>(std::min<std::int64_t>(block.tile_c, block.c.extent - c));
    tile.h = static_cast<std::int32_t>(std::min<std::int64_t>(block.tile_h, block.h.extent - h));
    tile.w = static_cast<std::int32_t>(std::min<std::int64_t>(block.tile_w, block.w.extent - w));
    for (std::size_t k = 0; k < tiling.operands; ++k) {
        tile.operands[k] = {start[k] + block.start[k] + c * block.c.strides[k] +
                                h * block.h.strides[k] + w * block.w.strides[k],
                            block.c.strides[k], block.h.strides[k], block.w.strides[k]};
    }
    return tile;
}

}  // namespace okksim::kernels
