// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/layout.h"
#include "kernels/conv/problem.h"
#include "kernels/conv/tiling.h"

namespace okksim::kernels::conv {

/// Ratios of the parts of a dimension to a full part: the last part may be smaller.
class Shares {
 public:
    /// `extent` in parts of `part`.
    Shares(std::int64_t extent, std::int64_t part)
        : last_(isa::div_up(extent, part) - 1),
          of_last_(static_cast<double>(extent - last_ * part) / static_cast<double>(part)),
          average_(static_cast<double>(extent) / static_cast<double>((last_ + 1) * part)) {}

    double of(std::int64_t index) const { return index == last_ ? of_last_ : 1; }
    double average() const { return average_; }

 private:
    std::int64_t last_;
    double of_last_;
    double average_;
};

/// Ratios of the extents of a step to those of a full step, and the resulting ratios of costs.
struct StepShares {
    double pixels = 1;
    double outputs = 1, output_slots = 1;
    double inputs = 1, input_slots = 1;
    double weight_inputs = 1;  ///< input channels of a weight tile
    double taps = 1;

    double load_input() const { return pixels * inputs; }
    double widen_input() const { return pixels * input_slots; }
    double load_weights() const { return outputs * taps * weight_inputs; }
    double widen_weights() const { return output_slots * taps * weight_inputs; }
    double products() const { return pixels * widen_weights(); }
    double finish() const { return pixels * output_slots; }
    double store() const { return pixels * outputs; }
    double load_operands() const { return pixels * outputs; }
};

/// Shares of all steps of a tiling.
class TilingShares {
 public:
    TilingShares(const Problem& problem, const Tiling& tiling, int lanes)
        : counts_(tiling.counts),
          is_depthwise_(problem.kind == ProblemKind::kDepthwise),
          images_(problem.images, tiling.tile.images),
          y_(problem.y.output, tiling.tile.y),
          x_(problem.x.output, tiling.tile.x),
          channels_(problem.output_channels, tiling.tile.channels),
          slots_(isa::div_up(problem.output_channels, lanes),
                 isa::div_up(tiling.tile.channels, lanes)),
          inputs_(problem.input_channels, tiling.tile.inputs),
          input_slots_(isa::div_up(problem.input_channels, lanes),
                       isa::div_up(tiling.tile.inputs, lanes)),
          taps_y_(problem.y.taps, tiling.tile.taps_y),
          taps_x_(problem.x.taps, tiling.tile.taps_x) {}

    /// The average step.
    StepShares average() const {
        StepShares step;
        step.pixels = images_.average() * y_.average() * x_.average();
        step.outputs = channels_.average();
        step.output_slots = slots_.average();
        step.taps = taps_y_.average() * taps_x_.average();
        set_inputs(step, inputs_.average(), input_slots_.average());
        return step;
    }
    void set_tile(StepShares& step, std::int64_t spatial, std::int64_t channel) const {
        std::int64_t rest = spatial;
        step.pixels = x_.of(take(rest, counts_.x));
        step.pixels *= y_.of(take(rest, counts_.y));
        take(rest, counts_.z);
        step.pixels *= images_.of(rest);
        step.outputs = channels_.of(channel);
        step.output_slots = slots_.of(channel);
    }
    void set_chunk(StepShares& step, std::int64_t chunk) const {
        std::int64_t rest = chunk;
        const std::int64_t inputs = take(rest, counts_.inputs);
        set_inputs(step, inputs_.of(inputs), input_slots_.of(inputs));
        step.taps = taps_x_.of(take(rest, counts_.taps_x));
        step.taps *= taps_y_.of(take(rest, counts_.taps_y));
    }

 private:
    /// A depthwise convolution reads the channels that it writes.
    void set_inputs(StepShares& step, double inputs, double slots) const {
        step.inputs = is_depthwise_ ? step.outputs : inputs;
        step.input_slots = is_depthwise_ ? step.output_slots : slots;
        step.weight_inputs = is_depthwise_ ? 1 : inputs;
    }
    static std::int64_t take(std::int64_t& combined, std::int64_t count) {
        const std::int64_t index = combined % count;
        combined /= count;
        return index;
    }

    const TileCounts& counts_;
    bool is_depthwise_;
    Shares images_, y_, x_, channels_, slots_, inputs_, input_slots_, taps_y_, taps_x_;
};

}  // namespace okksim::kernels::conv
