// SPDX-License-Identifier: Apache-2.0
// Time of a tiled problem, from the costs of the parts of its steps.
#include <algorithm>
#include <cmath>

#include "kernels/conv/step_shares.h"
#include "kernels/conv/tile_price.h"

namespace okksim::kernels::conv {
namespace {

/// Loads of each operand over the whole run, from the loop order and the tiles that stay.
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

/// Consecutive sections. In each section the engines overlap, and the processor issues the commands
/// of the GDMA first.
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

/// Visits the steps of a tiling in the order in which they will run.
class Walk {
 public:
    Walk(const Problem& problem, const Tiling& tiling, int lanes, const StepWork& work)
        : tiling_(tiling),
          counts_(tiling.counts),
          work_(work),
          depthwise_(problem.kind == ProblemKind::kDepthwise),
          shares_(problem, tiling, lanes) {}

    Duration run() {
        const bool outside = tiling_.order.channels_outside;
        const std::int64_t outer = outside ? counts_.channels : counts_.spatial();
        const std::int64_t inner = outside ? counts_.spatial() : counts_.channels;
        for (std::int64_t i = 0; i < outer; ++i) {
            for (std::int64_t k = 0; k < inner; ++k) {
                const std::int64_t spatial = outside ? k : i, channel = outside ? i : k;
                shares_.set_tile(next_, spatial, channel);
                for (std::int64_t chunk = 0; chunk < counts_.chunks(); ++chunk) {
                    shares_.set_chunk(next_, chunk);
                    prepare(spatial, channel, k, chunk + 1 == counts_.chunks());
                }
            }
        }
        const Work computing = compute_section();
        sections_.add(stored_, computing);
        sections_.add(part(work_.store, step_.store()), {});
        return sections_.done();
    }

 private:
    static Work part(Work work, double share) {
        if (share != 1) scale(work, share);
        return work;
    }

    /// The section that computes the previous step and loads for this one.
    void prepare(std::int64_t spatial, std::int64_t channel, std::int64_t inner, bool last) {
        const Work computing = has_step_ ? compute_section() : Work{};
        Work transfers = stored_;
        const bool input = loads_input(channel, inner);
        const bool weights = loads_weights(spatial, inner);
        if (input) transfers += part(work_.load_input, next_.load_input());
        if (weights) transfers += part(work_.load_weights, next_.load_weights());
        if (last) transfers += part(work_.load_operands, next_.load_operands());
        sections_.add(transfers, computing);
        has_step_ = true;
        step_ = next_;
        widens_input_ = input;
        widens_weights_ = weights;
        is_last_ = last;
    }

    /// Work of the latest step; the section stores the tile of the previous step.
    Work compute_section() {
        Work section = part(work_.products, step_.products());
        stored_ = stores_ ? part(work_.store, stored_share_) : Work{};
        if (widens_input_) section += part(work_.widen_input, step_.widen_input());
        if (widens_weights_) section += part(work_.widen_weights, step_.widen_weights());
        if (is_last_) section += part(work_.finish, step_.finish());
        stores_ = is_last_;
        stored_share_ = step_.store();
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
    const StepWork& work_;  ///< of a full step
    bool depthwise_;
    TilingShares shares_;
    Sections sections_;
    StepShares next_, step_;  ///< the step that is being loaded, and the one that is being computed
    bool has_step_ = false, widens_input_ = false, widens_weights_ = false;
    bool is_last_ = false, stores_ = false;
    Work stored_;
    double stored_share_ = 1;
};

}  // namespace

StepWork average_work(const Problem& problem, const Tiling& tiling, int lanes, StepWork work) {
    const StepShares step = TilingShares(problem, tiling, lanes).average();
    scale(work.load_input, step.load_input());
    scale(work.widen_input, step.widen_input());
    scale(work.load_weights, step.load_weights());
    scale(work.widen_weights, step.widen_weights());
    scale(work.products, step.products());
    scale(work.finish, step.finish());
    scale(work.store, step.store());
    scale(work.load_operands, step.load_operands());
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

Duration stepwise_time(const Problem& problem, const Tiling& tiling, int lanes,
                       const StepWork& work) {
    return Walk(problem, tiling, lanes, work).run();
}

}  // namespace okksim::kernels::conv
