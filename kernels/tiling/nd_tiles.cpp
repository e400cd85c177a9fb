// SPDX-License-Identifier: Apache-2.0
#include "kernels/tiling/nd_tiles.h"

#include <algorithm>
#include <cstdlib>

#include "isa/errors.h"
#include "isa/layout.h"
#include "kernels/tiling/lane_use.h"

namespace okksim::kernels {
namespace {

/// Elements of which pieces of a split dimension are multiples: 64 bytes or more.
constexpr std::int64_t kPieceUnit = 64;
/// Numbers of pieces that are tried for one that leaves no rest.
constexpr std::int64_t kPieceTrials = 256;

/// True when stepping over all of `inner` is one step of `outer`, for every operand.
bool mergeable(const NdAxis& inner, const NdAxis& outer, std::size_t operands) {
    for (std::size_t k = 0; k < operands; ++k) {
        if (outer.strides[k] != inner.strides[k] * inner.extent) return false;
    }
    return true;
}

/// Walks the tiles of one space. `w`, `h` and `c` are chosen among the axes; the others are loops.
class Walker {
 public:
    /// `first_only`: visit the first tile alone. Later ones are as large or cut short at the ends
    /// of dimensions.
    Walker(std::size_t operands, const NdLimits& limits,
           const std::function<void(const NdTile&)>& visit, bool first_only = false)
        : operands_(operands), limits_(limits), visit_(visit), first_only_(first_only) {}

    /// `offsets`: start of the space for every operand.
    void walk(std::vector<NdAxis> axes, std::array<std::int64_t, kMaxOperands> offsets) {
        if (const std::int64_t piece = split_of(axes); piece > 0) {
            walk_split(std::move(axes), offsets, piece);
            return;
        }
        const std::size_t channel = channel_axis(axes);
        const NdAxis inner = axes[0];
        NdAxis lanes;
        if (channel > 0) lanes = axes[channel];
        std::vector<NdAxis> rest;
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
                walk_rows(inner, lanes, offsets);
                return;
            }
        }
        loop(rest, offsets, [&](const auto& start) { block(inner, rows, lanes, start); });
    }

 private:
    /// Length of the pieces into which the innermost axis is cut to give every lane one, or 0 when
    /// another axis fills the lanes.
    std::int64_t split_of(const std::vector<NdAxis>& axes) const {
        double best = 0;
        for (std::size_t i = 1; i < axes.size(); ++i) {
            best = std::max(best, lane_use(axes[i].extent, limits_.lanes));
        }
        const std::int64_t extent = axes[0].extent;
        if (best >= 0.5 || extent < std::int64_t{2} * limits_.lanes) {
            // A single short axis still spreads over the lanes, one element each.
            return axes.size() == 1 && extent > 1 ? isa::div_up(extent, limits_.lanes) : 0;
        }
        return piece_of(extent, limits_.words_per_channel);
    }

    /// Extent of the pieces of at most `most` into which `extent` is cut for the lanes: as few
    /// tiles as possible, of equal size, and without a rest, which would be a tile of its own,
    /// where a nearby size allows it.
    std::int64_t piece_of(std::int64_t extent, std::int64_t most) const {
        const std::int64_t tiles = isa::div_up(extent, limits_.lanes * most);
        const std::int64_t pieces = limits_.lanes * tiles;
        const std::int64_t fewest = std::max(pieces - pieces / 4, pieces - kPieceTrials);
        for (std::int64_t count = pieces; count >= std::max<std::int64_t>(1, fewest); --count) {
            if (extent % count == 0 && extent / count <= most) return extent / count;
        }
        // Pieces begin where the data mover need not shift bytes.
        const std::int64_t piece = isa::div_up(extent, pieces);
        return std::min(most, piece > kPieceUnit ? isa::align_up(piece, kPieceUnit) : piece);
    }

    void walk_split(std::vector<NdAxis> axes, std::array<std::int64_t, kMaxOperands> offsets,
                    std::int64_t piece) {
        const NdAxis whole = axes[0];
        const std::int64_t pieces = whole.extent / piece;
        const std::int64_t rest = whole.extent - pieces * piece;
        NdAxis inner = whole;
        inner.extent = piece;
        NdAxis outer = whole;
        outer.extent = pieces;
        for (std::size_t k = 0; k < operands_; ++k) outer.strides[k] *= piece;
        std::vector<NdAxis> others(axes.begin() + 1, axes.end());
        NdAxis rows;
        if (!others.empty() && 2 * piece <= limits_.words_per_channel) {
            rows = others.front();
            others.erase(others.begin());
        }
        loop(others, offsets, [&](const auto& start) {
            block(inner, rows, outer, start);
            if (rest == 0 || first_only_) return;
            NdAxis tail = whole;
            tail.extent = rest;
            block(tail, rows, NdAxis{}, advanced(start, outer, pieces), piece);
        });
    }

    /// Two dimensions of which the outer one is longer than the lanes: every lane takes a run of
    /// its rows.
    void walk_rows(const NdAxis& inner, const NdAxis& whole,
                   const std::array<std::int64_t, kMaxOperands>& start) {
        const std::int64_t run = piece_of(whole.extent, limits_.words_per_channel / inner.extent);
        NdAxis rows = whole;
        rows.extent = run;
        NdAxis lanes = whole;
        lanes.extent = whole.extent / run;
        for (std::size_t k = 0; k < operands_; ++k) lanes.strides[k] *= run;
        block(inner, rows, lanes, start);
        const std::int64_t rest = whole.extent - lanes.extent * run;
        if (rest == 0 || first_only_) return;
        rows.extent = rest;
        block(inner, rows, NdAxis{}, advanced(start, lanes, lanes.extent));
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

    std::array<std::int64_t, kMaxOperands> advanced(std::array<std::int64_t, kMaxOperands> offsets,
                                                    const NdAxis& axis, std::int64_t steps) const {
        for (std::size_t k = 0; k < operands_; ++k) offsets[k] += axis.strides[k] * steps;
        return offsets;
    }

    template <typename Body>
    void loop(const std::vector<NdAxis>& axes, std::array<std::int64_t, kMaxOperands> offsets,
              const Body& body) {
        if (axes.empty()) {
            body(offsets);
            return;
        }
        const NdAxis outer = axes.back();
        const std::vector<NdAxis> inner(axes.begin(), axes.end() - 1);
        for (std::int64_t i = 0; i < (first_only_ ? 1 : outer.extent); ++i) {
            loop(inner, advanced(offsets, outer, i), body);
        }
    }

    /// Emits the tiles of a three-dimensional block.
    /// `width` is the extent along w that the number of rows is chosen for, if not inner's: no tile
    /// may have more rows than the largest one.
    void block(const NdAxis& inner, const NdAxis& rows, const NdAxis& lanes,
               const std::array<std::int64_t, kMaxOperands>& start, std::int64_t width = 0) {
        const std::int64_t w_step = std::min<std::int64_t>(inner.extent, limits_.words_per_channel);
        const std::int64_t h_step = std::clamp<std::int64_t>(
            limits_.words_per_channel / std::max(width, w_step), 1, rows.extent);
        const std::int64_t c_step = std::min<std::int64_t>(lanes.extent, limits_.channels);
        for (std::int64_t c = 0; c < lanes.extent; c += c_step) {
            for (std::int64_t h = 0; h < rows.extent; h += h_step) {
                for (std::int64_t w = 0; w < inner.extent; w += w_step) {
                    NdTile tile;
                    tile.c = static_cast<std::int32_t>(std::min(c_step, lanes.extent - c));
                    tile.h = static_cast<std::int32_t>(std::min(h_step, rows.extent - h));
                    tile.w = static_cast<std::int32_t>(std::min(w_step, inner.extent - w));
                    for (std::size_t k = 0; k < operands_; ++k) {
                        tile.operands[k] = {start[k] + c * lanes.strides[k] + h * rows.strides[k] +
                                                w * inner.strides[k],
                                            lanes.strides[k], rows.strides[k], inner.strides[k]};
                    }
                    visit_(tile);
                    if (first_only_) return;
                }
            }
        }
    }

    std::size_t operands_;
    const NdLimits& limits_;
    const std::function<void(const NdTile&)>& visit_;
    bool first_only_;
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

void for_each_tile(std::span<const std::int32_t> dims, std::span<const NdStrides> operands,
                   const NdLimits& limits, const std::function<void(const NdTile&)>& visit) {
    OKKSIM_CHECK(operands.size() <= kMaxOperands);
    OKKSIM_CHECK(limits.words_per_channel > 0 && limits.channels >= limits.lanes);
    Walker(operands.size(), limits, visit).walk(merged_axes(dims, operands), {});
}

NdTile largest_tile(std::span<const std::int32_t> dims, std::span<const NdStrides> operands,
                    const NdLimits& limits) {
    NdTile largest;
    const std::function<void(const NdTile&)> keep = [&](const NdTile& tile) { largest = tile; };
    Walker(operands.size(), limits, keep, true).walk(merged_axes(dims, operands), {});
    return largest;
}

}  // namespace okksim::kernels
