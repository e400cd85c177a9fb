// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/tile_price.h"

#include "kernels/conv/bias_parts.h"
#include "kernels/conv/epilogue.h"
#include "kernels/conv/step.h"
#include "kernels/conv/step_runner.h"

namespace okksim::kernels::conv {

template <typename Price>
const Work& TilePrices::once(std::map<Key, Work>& known, const Key& key, const Price& price) {
    const auto found = known.find(key);
    if (found != known.end()) return found->second;
    return known[key] = host_.work(price);
}

const StepWork& TilePrices::of(const Tiling& tiling) {
    const Tile& t = tiling.tile;
    const Key tile{t.images, t.channels, t.y,      t.x,
                   t.inputs, t.taps_y,   t.taps_x, tiling.zero_channels};
    const Choice choice{tile, tiling.input.spread, tiling.weights.spread};
    if (latest_ && latest_->first == choice) return latest_->second;
    latest_.emplace(choice, price(tiling));
    return latest_->second;
}

StepWork TilePrices::price(const Tiling& tiling) {
    const Tile& t = tiling.tile;
    const bool depthwise = problem_.kind == ProblemKind::kDepthwise;
    const std::int32_t inputs = depthwise ? t.channels : t.inputs;
    const Key input{t.images, inputs, t.y, t.x, t.taps_y, t.taps_x, tiling.input.spread, 0};
    const Key weights{problem_.weights.of_each_image() ? t.images : 0,
                      t.channels,
                      t.inputs,
                      t.taps_y,
                      t.taps_x,
                      tiling.weights.spread,
                      0,
                      0};
    const Key output{t.images, t.channels, t.y, t.x, tiling.counts.chunks() > 1, 0, 0, 0};
    const Key all{t.images, t.channels, t.y,      t.x,
                  t.inputs, t.taps_y,   t.taps_x, tiling.zero_channels};

    const Step step = typical_step(problem_, tiling);
    const Lanes lanes = lanes_of(host_.machine());
    Room room =
        room_for(problem_, rule_, lanes, static_cast<std::uint32_t>(host_.machine().local_bytes));
    const BiasParts bias(problem_.bias, problem_.output_channels, room.bias, lanes.count);
    const EpilogueRun epilogue(problem_, rule_, room.epilogue, lanes.count);
    StepRunner runner(problem_, rule_, tiling, room.range, bias, epilogue, lanes);
    const StepRunner::PlacedStep placed = runner.place(step);
    StepWork work;
    work.load_operands = once(load_operands_, output, [&] { runner.load_operands(step); });
    work.store = once(store_, output, [&] { runner.store(step, 0); });
    work.load_input = once(load_input_, input, [&] { runner.load_input(placed); });
    work.load_weights = once(load_weights_, weights, [&] { runner.load_weights(placed); });
    work.widen_input = once(widen_input_, input, [&] { runner.widen_input(placed); });
    work.widen_weights = once(widen_weights_, weights, [&] { runner.widen_weights(placed); });
    // Sums that an earlier step began cost what most steps do.
    const bool priced = products_.contains(all);
    if (!priced || !finish_.contains(output)) {
        host_.work([&] {
            runner.begin_tile(step);
            if (priced || tiling.counts.chunks() > 1) runner.add_products(placed);
        });
    }
    work.products = once(products_, all, [&] {
        okk_parallel_start();
        runner.add_products(placed);
        okk_parallel_end();
    });
    work.finish = once(finish_, output, [&] { runner.finish_tile(); });
    return work;
}

}  // namespace okksim::kernels::conv
