// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/tile_price.h"

#include <algorithm>
#include <cmath>

#include "kernels/conv/bias_parts.h"
#include "kernels/conv/epilogue_run.h"
#include "kernels/conv/step.h"
#include "kernels/conv/step_runner.h"
#include "kernels/conv/tile_places.h"

namespace okksim::kernels::conv {

template <typename Price>
const Work& TilePrices::once(Prices& known, const Key& key, const Price& price) {
    const auto found = known.find(key);
    if (found != known.end()) return found->second;
    return known[key] = host_.work(price);
}

namespace {

TilePrices::Key tile_key(const Tiling& tiling) {
    const Tile& t = tiling.tile;
    return {t.images, t.channels, t.y, t.x, t.inputs, t.taps_y, t.taps_x, tiling.zero_channels};
}

}  // namespace

Work TilePrices::Products::at(double share) const {
    if (together_share == apart_share) return apart;
    const double part = (share - apart_share) / (together_share - apart_share);
    Work work = apart;
    for (std::size_t i = 0; i < work.engines.size(); ++i) {
        const Duration more = together.engines[i] - apart.engines[i];
        work.engines[i] += Duration(std::llround(static_cast<double>(more.count()) * part));
    }
    return work;
}

Room TilePrices::room() const {
    return room_for(problem_, rule_, lanes_of(host_.machine()),
                    static_cast<std::uint32_t>(host_.machine().local_bytes));
}

double TilePrices::share_of(const Tiling& tiling) const {
    LocalRange range = room().range;
    return shared_banks(tiling, rule_, place_tiles(tiling, range), host_.machine());
}

TilePrices::Keys TilePrices::keys_of(const Tiling& tiling) const {
    const Tile& t = tiling.tile;
    const bool depthwise = problem_.kind == ProblemKind::kDepthwise;
    const std::int32_t inputs = depthwise ? t.channels : t.inputs;
    const std::int32_t images = problem_.weights.of_each_image() ? t.images : 0;
    return {{t.images, inputs, t.y, t.x, t.taps_y, t.taps_x, tiling.input.spread, 0},
            {images, t.channels, t.inputs, t.taps_y, t.taps_x, tiling.weights.spread, 0, 0},
            {t.images, t.channels, t.y, t.x, tiling.counts.chunks() > 1, 0, 0, 0},
            tile_key(tiling)};
}

TilePrices::Latest TilePrices::known(const Choice& choice, const Keys& keys) const {
    Latest latest{choice, {}, products_.contains(keys.all)};
    const auto take = [&](Work& work, const Prices& prices, const Key& key) {
        const auto found = prices.find(key);
        latest.is_complete &= found != prices.end();
        if (found != prices.end()) work = found->second;
    };
    take(latest.work.load_input, load_input_, keys.input);
    take(latest.work.widen_input, widen_input_, keys.input);
    take(latest.work.load_weights, load_weights_, keys.weights);
    take(latest.work.widen_weights, widen_weights_, keys.weights);
    take(latest.work.load_operands, load_operands_, keys.output);
    take(latest.work.finish, finish_, keys.output);
    take(latest.work.store, store_, keys.output);
    return latest;
}

TilePrices::Latest& TilePrices::latest(const Tiling& tiling) {
    const Choice choice{tile_key(tiling), tiling.input.spread, tiling.weights.spread};
    if (!latest_ || latest_->choice != choice) latest_ = known(choice, keys_of(tiling));
    return *latest_;
}

const StepWork& TilePrices::least(const Tiling& tiling) {
    StepWork& work = latest(tiling).work;
    work.products = {};
    return work;
}

const StepWork& TilePrices::of(const Tiling& tiling) {
    Latest& priced = latest(tiling);
    if (!priced.is_complete) priced = {priced.choice, price(tiling), true};
    priced.work.products = products_.at(tile_key(tiling)).at(share_of(tiling));
    return priced.work;
}

TilePrices::Products TilePrices::price_products(const Tiling& tiling, StepRunner& runner,
                                                StepRunner::PlacedStep placed) {
    const isa::MachineShape& machine = host_.machine();
    const auto priced = [&](local_addr_t weights, double& share) {
        placed.weights.words = weights;
        share = shared_banks_at(weights, tiling, rule_, runner.places(), machine);
        return host_.work([&] {
            okk_parallel_start();
            runner.add_products(placed);
            okk_parallel_end();
        });
    };
    const std::uint32_t bytes =
        tiling.weights.plane_slots > 0 ? tiling.weights.plane_bytes : tiling.weights.packed_bytes;
    Products products;
    const auto end = static_cast<local_addr_t>(machine.local_bytes);
    products.apart = priced(end - bytes, products.apart_share);
    // At the highest address that fits.
    products.together = priced(std::min(placed.input.words, end - bytes), products.together_share);
    return products;
}

StepWork TilePrices::price(const Tiling& tiling) {
    const auto [input, weights, output, all] = keys_of(tiling);
    const Step step = typical_step(problem_, tiling);
    const Lanes lanes = lanes_of(host_.machine());
    Room local = room();
    const BiasParts bias(problem_.bias, problem_.output_channels, local.bias, lanes.count);
    const EpilogueRun epilogue(problem_, rule_, local.epilogue, lanes.count);
    StepRunner runner(problem_, rule_, tiling, local.range, bias, epilogue, lanes);
    const StepRunner::PlacedStep placed = runner.place(step);
    StepWork work;
    work.load_operands = once(load_operands_, output, [&] { runner.load_operands(step); });
    work.store = once(store_, output, [&] { runner.store(step, 0); });
    work.load_input = once(load_input_, input, [&] { runner.load_input(placed); });
    work.load_weights = once(load_weights_, weights, [&] { runner.load_weights(placed); });
    work.widen_input = once(widen_input_, input, [&] { runner.widen_input(placed); });
    work.widen_weights = once(widen_weights_, weights, [&] { runner.widen_weights(placed); });
    // Most steps add to sums that an earlier step began, so that case is priced.
    const bool priced = products_.contains(all);
    if (!priced || !finish_.contains(output)) {
        host_.work([&] {
            runner.begin_tile(step);
            if (priced || tiling.counts.chunks() > 1) runner.add_products(placed);
        });
    }
    if (!priced) products_[all] = price_products(tiling, runner, placed);
    work.finish = once(finish_, output, [&] { runner.finish_tile(); });
    return work;
}

}  // namespace okksim::kernels::conv
