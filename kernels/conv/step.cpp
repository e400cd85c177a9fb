// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/step.h"

namespace okksim::kernels::conv {
namespace {

class StepMaker {
 public:
    StepMaker(const Problem& problem, const Tiling& tiling)
        : problem_(problem), tiling_(tiling), counts_(tiling.counts) {}

    std::vector<Step> run() {
        steps_.reserve(
            static_cast<std::size_t>(counts_.spatial() * counts_.channels * counts_.chunks()));
        const std::int64_t outer =
            tiling_.order.channels_outside ? counts_.channels : counts_.spatial();
        const std::int64_t inner =
            tiling_.order.channels_outside ? counts_.spatial() : counts_.channels;
        for (std::int64_t i = 0; i < outer; ++i) {
            for (std::int64_t k = 0; k < inner; ++k) {
                const bool swapped = tiling_.order.channels_outside;
                output_tile(swapped ? k : i, swapped ? i : k);
            }
        }
        return std::move(steps_);
    }

    /// A typical step, in the middle output tile: the first chunk, from the middle chunk on, that
    /// reads inputs.
    Step middle() const {
        const std::int64_t spatial = (counts_.spatial() - 1) / 2;
        const std::int64_t channel_part = (counts_.channels - 1) / 2;
        Step step = place_tile(spatial, channel_part);
        step.first = step.last = true;
        const std::int64_t chunks = counts_.chunks();
        for (std::int64_t i = 0; i < chunks; ++i) {
            if (place_chunk(step, (i + (chunks - 1) / 2) % chunks)) return step;
        }
        step.empty = true;
        return step;
    }

 private:
    /// Extracts the innermost index from a combined one.
    static std::int32_t take(std::int64_t& combined, std::int64_t count) {
        const auto index = static_cast<std::int32_t>(combined % count);
        combined /= count;
        return index;
    }

    /// Fills the output tile's part of a step.
    Step place_tile(std::int64_t spatial, std::int64_t channel_part) const {
        const Tile& tile = tiling_.tile;
        Step step;
        std::int64_t rest = spatial;
        step.x = part_of(problem_.x.output, tile.x, take(rest, counts_.x));
        step.y = part_of(problem_.y.output, tile.y, take(rest, counts_.y));
        step.z = take(rest, counts_.z);
        const auto image = static_cast<std::int32_t>(rest);
        step.images = part_of(problem_.images, tile.images, image);
        step.channels = part_of(problem_.output_channels, tile.channels,
                                static_cast<std::int32_t>(channel_part));
        return step;
    }

    void output_tile(std::int64_t spatial, std::int64_t channel_part) {
        Step step = place_tile(spatial, channel_part);
        const std::int64_t image =
            spatial / (tiling_.counts.x * tiling_.counts.y * tiling_.counts.z);
        const bool depthwise = problem_.kind == ProblemKind::kDepthwise;
        const std::int64_t weight_image = problem_.weights.image != 0 ? image : 0;
        const std::size_t before = steps_.size();
        for (std::int64_t chunk = 0; chunk < counts_.chunks(); ++chunk) {
            if (!place_chunk(step, chunk)) continue;
            step.input_key = spatial * counts_.chunks() + chunk;
            if (depthwise) step.input_key = step.input_key * counts_.channels + channel_part;
            step.weight_key =
                (weight_image * counts_.channels + channel_part) * counts_.chunks() + chunk;
            steps_.push_back(step);
        }
        if (steps_.size() == before) {
            step.empty = true;
            steps_.push_back(step);
        }
        steps_[before].first = true;
        steps_.back().last = true;
    }

    /// Fills the chunk's part of a step. Returns false if it reads only zeros.
    bool place_chunk(Step& step, std::int64_t chunk) const {
        const Tile& tile = tiling_.tile;
        std::int64_t rest = chunk;
        step.inputs =
            problem_.kind == ProblemKind::kDepthwise
                ? step.channels
                : part_of(problem_.input_channels, tile.inputs, take(rest, counts_.inputs));
        step.taps_x = part_of(problem_.x.taps, tile.taps_x, take(rest, counts_.taps_x));
        step.taps_y = part_of(problem_.y.taps, tile.taps_y, take(rest, counts_.taps_y));
        step.tap_z = static_cast<std::int32_t>(rest);
        step.input_z = std::int64_t{step.z} * problem_.z.step +
                       std::int64_t{step.tap_z} * problem_.z.spacing - problem_.z.pad;
        if (step.input_z < 0 || step.input_z >= problem_.z.input) return false;
        step.slice_y = slice_of(problem_.y, tiling_.mode_y, step.y, step.taps_y);
        step.slice_x = slice_of(problem_.x, tiling_.mode_x, step.x, step.taps_x);
        return step.slice_y.count > 0 && step.slice_x.count > 0;
    }

    const Problem& problem_;
    const Tiling& tiling_;
    const TileCounts& counts_;
    std::vector<Step> steps_;
};

}  // namespace

Step typical_step(const Problem& problem, const Tiling& tiling) {
    return StepMaker(problem, tiling).middle();
}

std::vector<Step> make_steps(const Problem& problem, const Tiling& tiling) {
    return StepMaker(problem, tiling).run();
}

}  // namespace okksim::kernels::conv
