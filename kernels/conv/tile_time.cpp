// SPDX-License-Identifier: Apache-2.0
// How long a tiled problem takes, from what the parts of its steps cost.
#include <algorithm>
#include <cmath>

#include "isa/layout.h"
#include "kernels/conv/tile_price.h"

namespace okksim::kernels::conv {
namespace {

/// Loads of each operand over the whole run, by the loop order and what is kept.
struct Loads {
    std::int64_t inputs = 0;
    std::int64_t weights = 0;
};

Loads count_loads(const Problem& problem, const Tiling& tiling) {
    const TileCounts& counts = tiling.counts;
    const std::int64_t all = counts.steps();
    const bool depthwise = problem.kind == ProblemKind::kDepthwise;
    if (depthwise) return {all, counts.chunks() > 1 ? all : counts.channels};
    const bool outside = tiling.order.channels_outside;
    const bool one_chunk = counts.chunks() == 1;
    Loads loads{all, all};
    if (tiling.order.keep_inputs || counts.spatial() * counts.chunks() == 1 ||
        (!outside && one_chunk)) {
        loads.inputs = counts.spatial() * counts.chunks();
    }
    if (tiling.order.keep_weights || counts.channels * counts.chunks() == 1 ||
        (outside && one_chunk)) {
        loads.weights = counts.channels * counts.chunks() *
                        (problem.weights.of_each_image() ? counts.images : 1);
    }
    return loads;
}

Duration move(const Work& work) { return work.of(isa::Engine::kGdma); }
Duration compute(const Work& work) { return work.of(isa::Engine::kBdc); }

Work times(std::int64_t count, const Work& work) {
    Work product;
    product.processor = count * work.processor;
    for (std::size_t i = 0; i < work.engines.size(); ++i) {
        product.engines[i] = count * work.engines[i];
    }
    return product;
}

void scale(Work& work, double share) {
    for (Duration& engine : work.engines) {
        engine = Duration(std::llround(static_cast<double>(engine.count()) * share));
    }
}

/// Sections one after the other: in each the engines work side by side, the data mover on what the
/// processor issues first.
class Sections {
 public:
    void add(const Work& transfers, const Work& computing) {
        const Duration moved = std::max(done_, issued_) + move(transfers);
        issued_ += transfers.processor;
        const Duration computed = std::max(done_, issued_) + compute(computing);
        issued_ += computing.processor;
        done_ = std::max({moved, computed, issued_});
    }
    Duration done() const { return done_; }

 private:
    Duration issued_{};
    Duration done_{};
};

/// Walks through the steps of a tiling as they will run.
class Walk {
 public:
    Walk(const Problem& problem, const Tiling& tiling, const StepWork& work)
        : tiling_(tiling),
          counts_(tiling.counts),
          work_(work),
          depthwise_(problem.kind == ProblemKind::kDepthwise) {}

    Duration run() {
        const bool outside = tiling_.order.channels_outside;
        const std::int64_t outer = outside ? counts_.channels : counts_.spatial();
        const std::int64_t inner = outside ? counts_.spatial() : counts_.channels;
        for (std::int64_t i = 0; i < outer; ++i) {
            for (std::int64_t k = 0; k < inner; ++k) {
                for (std::int64_t chunk = 0; chunk < counts_.chunks(); ++chunk) {
                    prepare(outside ? k : i, outside ? i : k, k, chunk + 1 == counts_.chunks());
                }
            }
        }
        const Work computing = compute_section();
        sections_.add(stored_, computing);
        sections_.add(work_.store, {});
        return sections_.done();
    }

 private:
    /// The section that computes the step before and loads for this one.
    void prepare(std::int64_t spatial, std::int64_t channel, std::int64_t inner, bool last) {
        const Work computing = has_step_ ? compute_section() : Work{};
        Work transfers = stored_;
        const bool input = loads_input(channel, inner);
        const bool weights = loads_weights(spatial, inner);
        if (input) transfers += work_.load_input;
        if (weights) transfers += work_.load_weights;
        if (last) transfers += work_.load_operands;
        sections_.add(transfers, computing);
        has_step_ = true;
        widens_input_ = input;
        widens_weights_ = weights;
        is_last_ = last;
    }

    /// The computing of the latest step; what the section stores is that of the step before.
    Work compute_section() {
        Work section = work_.products;
        stored_ = stores_ ? work_.store : Work{};
        if (widens_input_) section += work_.widen_input;
        if (widens_weights_) section += work_.widen_weights;
        if (is_last_) section += work_.finish;
        stores_ = is_last_;
        return section;
    }

    bool loads_input(std::int64_t channel, std::int64_t inner) const {
        if (depthwise_) return true;
        if (tiling_.order.keep_inputs || counts_.spatial() * counts_.chunks() == 1) {
            return channel == 0;
        }
        return tiling_.order.channels_outside || counts_.chunks() > 1 || inner == 0;
    }
    bool loads_weights(std::int64_t spatial, std::int64_t inner) const {
        if (tiling_.order.keep_weights || counts_.channels * counts_.chunks() == 1) {
            return spatial == 0;
        }
        return !tiling_.order.channels_outside || counts_.chunks() > 1 || inner == 0;
    }

    const Tiling& tiling_;
    const TileCounts& counts_;
    const StepWork& work_;
    bool depthwise_;
    Sections sections_;
    bool has_step_ = false, widens_input_ = false, widens_weights_ = false;
    bool is_last_ = false, stores_ = false;
    Work stored_;
};

}  // namespace

StepWork average_work(const Problem& problem, const Tiling& tiling, int lanes, StepWork work) {
    const Tile& tile = tiling.tile;
    const TileCounts& counts = tiling.counts;
    // What the parts of a dimension are of as many full ones.
    const auto share = [](std::int64_t extent, std::int64_t count, std::int64_t part) {
        return static_cast<double>(extent) / static_cast<double>(count * part);
    };
    const auto slots = [lanes](std::int64_t channels) { return isa::div_up(channels, lanes); };
    const bool depthwise = problem.kind == ProblemKind::kDepthwise;
    const double pixels = share(problem.images, counts.images, tile.images) *
                          share(problem.y.output, counts.y, tile.y) *
                          share(problem.x.output, counts.x, tile.x);
    const double taps = share(problem.y.taps, counts.taps_y, tile.taps_y) *
                        share(problem.x.taps, counts.taps_x, tile.taps_x);
    const double outputs = share(problem.output_channels, counts.channels, tile.channels);
    const double output_slots =
        share(slots(problem.output_channels), counts.channels, slots(tile.channels));
    const double inputs =
        depthwise ? outputs : share(problem.input_channels, counts.inputs, tile.inputs);
    const double input_slots =
        depthwise ? output_slots
                  : share(slots(problem.input_channels), counts.inputs, slots(tile.inputs));
    scale(work.load_input, pixels * inputs);
    scale(work.widen_input, pixels * input_slots);
    scale(work.load_weights, outputs * taps * (depthwise ? 1 : inputs));
    scale(work.widen_weights, output_slots * taps * (depthwise ? 1 : inputs));
    scale(work.products, pixels * output_slots * taps * (depthwise ? 1 : inputs));
    scale(work.finish, pixels * output_slots);
    scale(work.store, pixels * outputs);
    scale(work.load_operands, pixels * outputs);
    return work;
}

Duration overlapped_time(const Problem& problem, const Tiling& tiling, const StepWork& work) {
    const Loads loads = count_loads(problem, tiling);
    const std::int64_t steps = tiling.counts.steps();
    const std::int64_t tiles = tiling.counts.spatial() * tiling.counts.channels;
    Work sum = times(loads.inputs, work.load_input);
    for (const Work& part :
         {times(loads.inputs, work.widen_input), times(loads.weights, work.load_weights),
          times(loads.weights, work.widen_weights), times(tiles, work.load_operands),
          times(tiles, work.store), times(tiles, work.finish), times(steps, work.products)}) {
        sum += part;
    }
    const Duration first = move(work.load_input) + move(work.load_weights);
    return std::max({move(sum) + compute(sum) / steps, compute(sum) + first + move(work.store),
                     sum.processor + move(work.store)});
}

Duration issue_time(const Problem& problem, const Tiling& tiling, Duration command) {
    const Loads loads = count_loads(problem, tiling);
    const std::int64_t tiles = tiling.counts.spatial() * tiling.counts.channels;
    return (loads.inputs + loads.weights + tiles + tiling.counts.steps()) * command;
}

Duration stepwise_time(const Problem& problem, const Tiling& tiling, const StepWork& work) {
    return Walk(problem, tiling, work).run();
}

}  // namespace okksim::kernels::conv
