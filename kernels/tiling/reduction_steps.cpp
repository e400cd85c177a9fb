// SPDX-License-Identifier: Apache-2.0
#include "kernels/tiling/reduction_steps.h"

#include <algorithm>
#include <optional>

#include "isa/layout.h"
#include "kernels/tiling/lane_use.h"

namespace okksim::kernels {
namespace {

/// What commands take (API reference).
constexpr std::int64_t kMostChannels = 4095, kMostRows = 65535;

std::int64_t advance(std::int64_t offset, const NdAxis& axis, std::size_t end, std::int64_t steps) {
    return offset + axis.strides[end] * steps;
}

/// Part of an axis.
NdAxis piece_of(const NdAxis& axis, std::int64_t begin, std::int64_t most) {
    NdAxis piece = axis;
    piece.extent = std::min(most, axis.extent - begin);
    return piece;
}

/// Cuts a space into steps that fit `words` words per lane.
class StepPlanner {
 public:
    StepPlanner(const ReductionSpace& space, std::int64_t words, int lanes)
        : space_(space), words_(words), lanes_(lanes) {
        axes_ = space.axes;
        reduced_along_w_ = space.stride == 1 || axes_.front().strides[kReductionIn] != 1;
    }

    bool reduced_along_w() const { return reduced_along_w_; }

    std::vector<ReductionStep> plan() {
        std::optional<NdAxis> line;
        if (!reduced_along_w_) {
            line = axes_.front();
            axes_.erase(axes_.begin());
        }
        NdAxis channels = take_channels();
        if (line && lane_use(channels.extent, lanes_) < 0.5 &&
            line->extent >= std::int64_t{2} * lanes_) {
            if (channels.extent > 1) axes_.push_back(channels);
            split_line(*line);
        } else {
            if (!line) line = take_largest();
            loop(axes_.size(), {}, [&](const auto& offset) { block(offset, channels, *line); });
        }
        return std::move(steps_);
    }

 private:
    NdAxis take(std::size_t index) {
        const NdAxis axis = axes_[index];
        axes_.erase(axes_.begin() + static_cast<std::ptrdiff_t>(index));
        return axis;
    }

    NdAxis take_channels() {
        std::size_t best = 0;
        for (std::size_t i = 1; i < axes_.size(); ++i) {
            if (lane_use(axes_[i].extent, lanes_) > lane_use(axes_[best].extent, lanes_)) best = i;
        }
        return axes_.empty() ? NdAxis{} : take(best);
    }

    NdAxis take_largest() {
        const auto largest =
            std::max_element(axes_.begin(), axes_.end(),
                             [](const NdAxis& a, const NdAxis& b) { return a.extent < b.extent; });
        return axes_.empty() ? NdAxis{} : take(static_cast<std::size_t>(largest - axes_.begin()));
    }

    /// The line's pieces are the channels; what is left over is a narrower block.
    void split_line(const NdAxis& line) {
        const std::int64_t piece = isa::div_up(line.extent, std::int64_t{lanes_});
        const std::int64_t pieces = line.extent / piece;
        NdAxis inner = piece_of(line, 0, piece);
        NdAxis outer = line;
        outer.extent = pieces;
        for (auto& stride : outer.strides) stride *= piece;
        loop(axes_.size(), {}, [&](const auto& offset) {
            block(offset, outer, inner);
            if (pieces * piece == line.extent) return;
            std::array<std::int64_t, 2> rest{};
            for (std::size_t k = 0; k < 2; ++k) rest[k] = advance(offset[k], outer, k, pieces);
            block(rest, NdAxis{}, piece_of(line, pieces * piece, piece));
        });
    }

    template <typename Body>
    void loop(std::size_t depth, std::array<std::int64_t, 2> offset, const Body& body) {
        if (depth == 0) {
            body(offset);
            return;
        }
        const NdAxis axis = axes_[depth - 1];
        for (std::int64_t i = 0; i < axis.extent; ++i) {
            loop(depth - 1, offset, body);
            for (std::size_t k = 0; k < 2; ++k) offset[k] += axis.strides[k];
        }
    }

    void block(std::array<std::int64_t, 2> offset, const NdAxis& channels, const NdAxis& line) {
        const std::int64_t limit = std::min(words_, kMostRows);
        std::int64_t count = std::min(space_.extent, limit);
        std::int64_t length = std::min(line.extent, limit / count);
        if (!reduced_along_w_ && length < std::min<std::int64_t>(line.extent, 32)) {
            // Longer bursts along the line are worth more steps along the reduced axis.
            length = std::min<std::int64_t>({line.extent, 32, limit});
            count = std::min(space_.extent, limit / length);
        }
        const std::int64_t slot = isa::align_up(count * length, std::int64_t{32});
        const std::int64_t slots = std::max<std::int64_t>(1, words_ / slot);
        const std::int64_t lanes = std::min(slots * lanes_, kMostChannels / lanes_ * lanes_);
        for (std::int64_t c = 0; c < channels.extent; c += lanes) {
            for (std::int64_t i = 0; i < line.extent; i += length) {
                ReductionTile tile;
                for (std::size_t k = 0; k < 2; ++k) {
                    tile.offset[k] = advance(advance(offset[k], channels, k, c), line, k, i);
                }
                tile.channels = piece_of(channels, c, lanes);
                tile.line = piece_of(line, i, length);
                for (std::int64_t j = 0; j < space_.extent; j += count) {
                    const std::int64_t n = std::min(count, space_.extent - j);
                    steps_.push_back({tile, j, n, j == 0, j + n == space_.extent});
                }
            }
        }
    }

    const ReductionSpace& space_;
    std::int64_t words_;
    int lanes_;
    bool reduced_along_w_;
    std::vector<NdAxis> axes_;
    std::vector<ReductionStep> steps_;
};

}  // namespace

ReductionPlan plan_reduction(const ReductionSpace& space, std::int64_t words, int lanes) {
    StepPlanner planner(space, words, lanes);
    ReductionPlan plan;
    plan.along_w = planner.reduced_along_w();
    plan.steps = planner.plan();
    return plan;
}

}  // namespace okksim::kernels
