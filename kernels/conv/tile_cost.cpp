// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/tile_cost.h"

#include <algorithm>

#include "isa/layout.h"
#include "kernels/conv/move_cost.h"
#include "kernels/conv/operand.h"

namespace okksim::kernels::conv {
namespace {

using isa::div_up;

// The reference machine, rounded (sim/machines/bm1684.toml). Nanoseconds, bytes, cycles.
constexpr double kIssue = 3620;                 // control processor, per command
constexpr double kComputeStart = 2560;          // compute engine, per command
constexpr double kCycle = 1000.0 / 550.0;       // compute engine
constexpr std::int64_t kElementsPerCycle = 16;  // of a lane
constexpr std::int64_t kConvolutionGroup = 5;   // cycles per group of pixels besides the products

class Estimate {
 public:
    Estimate(const Problem& problem, const SumRule& rule, const Machine& machine,
             const Tiling& tiling)
        : problem_(problem),
          rule_(rule),
          machine_(machine),
          tiling_(tiling),
          tile_(tiling.tile),
          depthwise_(problem.kind == ProblemKind::kDepthwise) {}

    double microseconds(double best) const {
        const Work input = widening(tiling_.input, problem_.input.type, tiling_.zeros_in_tile);
        const Work weights = widening(tiling_.weights, problem_.weights.stored_type(), false);
        Costs costs;
        costs.load_input = move_nanoseconds(input_layout(), kReadByte);
        costs.load_weights = move_nanoseconds(weight_layout(), kReadByte);
        costs.store = move_nanoseconds(output_layout(), kWriteByte);
        costs.operands = rule_.epilogue_operands * move_nanoseconds(output_layout(), kReadByte);
        costs.input = input;
        costs.weights = weights;
        costs.product = products();
        costs.finish = finishing();
        const double least = overlapped(costs);
        constexpr std::int64_t kMostSteps = 400;
        if (least >= best * 1000.0 || tiling_.counts.steps() > kMostSteps) return least / 1000.0;
        return stepwise(costs) / 1000.0;
    }

 private:
    struct Loads {
        double inputs = 0;
        double weights = 0;
    };
    struct Work {
        double commands = 0;
        double cycles = 0;
    };

    /// Nanoseconds of the data mover and work of the compute engine.
    struct Costs {
        double load_input = 0, load_weights = 0, store = 0;
        double operands = 0;  ///< of a tile's epilogue
        Work input, weights, product, finish;
    };
    static double nanoseconds(const Work& work) {
        return work.commands * kComputeStart + work.cycles * kCycle;
    }

    /// All steps together, as if the engines never waited for each other but at the ends.
    double overlapped(const Costs& costs) const {
        const Loads loads = count_loads();
        const auto steps = static_cast<double>(tiling_.counts.steps());
        const auto tiles = static_cast<double>(tiling_.counts.spatial() * tiling_.counts.channels);
        const double move = loads.inputs * costs.load_input + loads.weights * costs.load_weights +
                            tiles * (costs.store + costs.operands);
        const double compute =
            steps * nanoseconds(costs.product) + loads.inputs * nanoseconds(costs.input) +
            loads.weights * nanoseconds(costs.weights) + tiles * nanoseconds(costs.finish);
        const double commands = loads.inputs * (1 + costs.input.commands) +
                                loads.weights * (1 + costs.weights.commands) +
                                steps * costs.product.commands +
                                tiles * (1 + rule_.epilogue_operands + costs.finish.commands);
        return std::max(
            {move + compute / steps,
             compute + costs.load_input + costs.load_weights + costs.operands + costs.store,
             commands * kIssue + costs.store});
    }

    /// Section by section, as the steps will run.
    double stepwise(const Costs& costs) const {
        const TileCounts& counts = tiling_.counts;
        const bool outside = tiling_.order.channels_outside;
        const std::int64_t chunks = counts.chunks();
        const std::int64_t outer = outside ? counts.channels : counts.spatial();
        const std::int64_t inner = outside ? counts.spatial() : counts.channels;
        double issued = 0, done = 0;
        bool store = false;
        // What the previous section loaded is widened and used in this one.
        bool input = false, weights = false, last = false;
        const auto section = [&](bool load_input, bool load_weights, bool operands, bool product) {
            double commands = (load_input ? 1 : 0) + (load_weights ? 1 : 0) + (store ? 1 : 0) +
                              (operands ? rule_.epilogue_operands : 0);
            const double move = (load_input ? costs.load_input : 0) +
                                (load_weights ? costs.load_weights : 0) +
                                (operands ? costs.operands : 0) + (store ? costs.store : 0);
            double compute = 0;
            const auto add = [&](const Work& work) {
                commands += work.commands;
                compute += nanoseconds(work);
            };
            if (input) add(costs.input);
            if (weights) add(costs.weights);
            if (product) add(costs.product);
            if (product && last) add(costs.finish);
            issued += commands * kIssue;
            done = std::max(done, issued - commands * kIssue + kIssue) + std::max(move, compute);
            done = std::max(done, issued);
            store = product && last;
            input = load_input;
            weights = load_weights;
        };
        bool first = true;
        for (std::int64_t i = 0; i < outer; ++i) {
            for (std::int64_t k = 0; k < inner; ++k) {
                for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
                    section(loads_input(outside ? k : i, outside ? i : k, k),
                            loads_weights(outside ? k : i, outside ? i : k, k), chunk + 1 == chunks,
                            !first);
                    last = chunk + 1 == chunks;
                    first = false;
                }
            }
        }
        section(false, false, false, true);
        section(false, false, false, false);
        return done;
    }
    bool loads_input(std::int64_t spatial, std::int64_t channel, std::int64_t inner) const {
        const TileCounts& counts = tiling_.counts;
        if (depthwise_) return true;
        if (tiling_.order.keep_inputs || counts.spatial() * counts.chunks() == 1) {
            return channel == 0;
        }
        static_cast<void>(spatial);
        return tiling_.order.channels_outside || counts.chunks() > 1 || inner == 0;
    }
    bool loads_weights(std::int64_t spatial, std::int64_t channel, std::int64_t inner) const {
        const TileCounts& counts = tiling_.counts;
        if (tiling_.order.keep_weights || counts.channels * counts.chunks() == 1) {
            return spatial == 0;
        }
        static_cast<void>(channel);
        return !tiling_.order.channels_outside || counts.chunks() > 1 || inner == 0;
    }

    /// Loads of each operand over the whole run, by the loop order and what is kept.
    Loads count_loads() const {
        const TileCounts& counts = tiling_.counts;
        const auto chunks = static_cast<double>(counts.chunks());
        const auto spatial = static_cast<double>(counts.spatial());
        const auto channels = static_cast<double>(counts.channels);
        const double images =
            problem_.weights.of_each_image() ? static_cast<double>(counts.images) : 1;
        const double all = spatial * channels * chunks;
        if (depthwise_) return {all, chunks > 1 ? all : channels};
        const bool outside = tiling_.order.channels_outside;
        Loads loads{all, all};
        if (tiling_.order.keep_inputs || spatial * chunks == 1 || (!outside && chunks == 1)) {
            loads.inputs = spatial * chunks;
        }
        if (tiling_.order.keep_weights || channels * chunks == 1 || (outside && chunks == 1)) {
            loads.weights = channels * chunks * images;
        }
        return loads;
    }

    std::int64_t slots(std::int64_t channels) const { return div_up(channels, machine_.lanes); }
    double groups() const {
        return static_cast<double>(tile_.images * slots(tile_.channels) *
                                   div_up(std::int64_t{tile_.y} * tile_.x, kElementsPerCycle));
    }
    double taps() const { return static_cast<double>(tile_.taps_y) * tile_.taps_x; }

    /// Products of one step.
    Work products() const {
        const double limbs =
            limbs_of(problem_.input.type) * limbs_of(problem_.weights.stored_type());
        const double passes =
            rule_.exact() && !depthwise_
                ? std::max(1.0, taps() * tile_.inputs / static_cast<double>(rule_.exact_terms))
                : 1.0;
        const std::int64_t channels = tile_.inputs + tiling_.zero_channels;
        const auto pairs = static_cast<double>(div_up(channels, 2));
        const double step = 1.0 + problem_.x.step;
        const double tap =
            depthwise_ ? step : std::max(pairs, pairs * step / static_cast<double>(channels));
        const double images = problem_.weights.of_each_image() ? tile_.images : 1;
        return {limbs * passes * images,
                groups() * limbs * (taps() * tap + kConvolutionGroup * passes)};
    }

    /// Making words of a loaded tile.
    static Work widening(const OperandBuffers& buffers, tosa::DType type, bool zeros) {
        if (!buffers.widened()) return {};
        const double words =
            (buffers.spread ? buffers.packed_bytes : buffers.plane_bytes) / 4.0 / kElementsPerCycle;
        Work work{static_cast<double>(widen_commands(type, buffers.spread)), 0};
        work.cycles = words * work.commands * (stored_bytes(type) == 1 ? 0.6 : 1.1);
        if (zeros) work = {work.commands + 2, work.cycles + 2 * words};
        return work;
    }

    Work finishing() const {
        const double commands = sum_memory(rule_).commands;
        constexpr double kCyclesPerCommand = 1.3;
        return {commands, commands * kCyclesPerCommand * groups()};
    }

    /// Bytes spread out as words are pieces of their own.
    static MoveLayout spread(MoveLayout layout, const OperandBuffers& buffers) {
        if (!buffers.spread) return layout;
        layout.pieces = layout.runs * layout.run_bytes;
        layout.on_grid = false;
        return layout;
    }

    MoveLayout input_layout() const {
        const std::int64_t h =
            inputs_within(problem_.y, span_of(problem_.y, tiling_.mode_y, tile_.y, tile_.taps_y));
        const std::int64_t w =
            inputs_within(problem_.x, span_of(problem_.x, tiling_.mode_x, tile_.x, tile_.taps_x));
        const std::int64_t plane =
            std::int64_t{problem_.z.input} * problem_.y.input * problem_.x.input;
        return spread(plane_layout(problem_.input, tile_.images,
                                   depthwise_ ? tile_.channels : tile_.inputs, h, w, plane),
                      tiling_.input);
    }
    MoveLayout output_layout() const {
        const std::int64_t plane =
            std::int64_t{problem_.z.output} * problem_.y.output * problem_.x.output;
        return plane_layout(problem_.output, tile_.images, tile_.channels, tile_.y, tile_.x, plane);
    }
    MoveLayout weight_layout() const {
        const Weights& weights = problem_.weights;
        const int bytes = stored_bytes(weights.stored_type());
        const std::int64_t inner = depthwise_ ? 1 : tile_.inputs;
        MoveLayout layout;
        const std::int64_t images = weights.of_each_image() ? tile_.images : 1;
        const double elements = taps() * static_cast<double>(images * inner * tile_.channels);
        layout.run_bytes = elements * bytes;
        if (weights.input != 1 || inner == 1) {  // single elements go to the lanes
            layout.pieces = elements;
            layout.on_grid = false;
            return layout;
        }
        const bool whole = tile_.inputs == problem_.input_channels;
        layout.pieces = static_cast<double>(images * tile_.channels) * (whole ? 1 : taps());
        layout.runs = whole ? 1 : layout.pieces;
        layout.run_bytes /= layout.runs;
        layout.pitch_bytes = static_cast<double>(problem_.input_channels * bytes);
        layout.on_grid = weights.output * bytes % kGridBytes == 0;
        return spread(layout, tiling_.weights);
    }

    const Problem& problem_;
    const SumRule& rule_;
    const Machine& machine_;
    const Tiling& tiling_;
    const Tile& tile_;
    bool depthwise_;
};

}  // namespace

double estimate_microseconds(const Problem& problem, const SumRule& rule, const Machine& machine,
                             const Tiling& tiling, double best) {
    return Estimate(problem, rule, machine, tiling).microseconds(best);
}

}  // namespace okksim::kernels::conv
