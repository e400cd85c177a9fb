// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/kernel_need.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "models/chip/chip_params.h"
#include "models/gdma/gdma_params.h"
#include "sim/bound/graph_need.h"
#include "sim/bound/operator_need.h"
#include "sim/bound/own_work.h"
#include "sim/bound/pipeline_end.h"

namespace okksim::sim::bound {
namespace {

using graph::TensorIndex;
using models::Picoseconds;

/// Returns the operators with the results that other operators or the launch read.
BoundScope scope_of(const graph::Block& block, const std::vector<std::uint32_t>& operators) {
    BoundScope scope{block, operators, {}, false};
    const auto is_read_outside = [&](TensorIndex value) {
        for (std::uint32_t i = 0; i < block.operators.size(); ++i) {
            const auto& inputs = block.operators[i].inputs;
            const bool reads = std::ranges::find(inputs, value) != inputs.end();
            if (reads && std::ranges::find(operators, i) == operators.end()) return true;
        }
        return std::ranges::find(block.outputs, value) != block.outputs.end();
    };
    for (const std::uint32_t op : operators) {
        std::ranges::copy_if(block.operators[op].outputs, std::back_inserter(scope.wanted),
                             is_read_outside);
    }
    return scope;
}

std::int64_t instructions_of(const graph::Block& block, const std::vector<std::uint32_t>& operators,
                             std::int64_t transfers, std::int64_t tiles) {
    const graph::Operator& first = block.operators[operators.front()];
    std::int64_t sum = is_by_element(block, first)
                           ? kernel_instructions(block, first, tiles)
                           : window_instructions(block, first, transfers, tiles);
    for (std::size_t i = 1; i < operators.size(); ++i) {
        sum += follower_instructions(block, block.operators[operators[i]]);
    }
    return sum;
}

/// Returns the time of the pieces of a convolution's feature maps. Each channel is in one lane
/// only, so no piece spans two channels.
Picoseconds channel_pieces(const graph::Block& block, const std::vector<std::uint32_t>& operators,
                           const models::MachineParams& machine) {
    const graph::Operator& first = block.operators[operators.front()];
    if (first.op != tosa::OpCode::kConv2d) return {};
    const graph::TensorShape& source = block.input(first, 0).shape;
    const graph::TensorShape& result = block.output(first, 0).shape;
    const std::int64_t pieces = source[0] * source[3] + result[0] * result[3];
    const models::GdmaParams& gdma = *machine.gdma;
    const double cycles = static_cast<double>(pieces) * gdma.piece_cycles;
    return models::Clock(gdma.clock_mhz).duration({static_cast<std::int64_t>(cycles)});
}

/// Returns the separate load of a convolution's biases. A depthwise convolution with few channels
/// may load them with its weights, because the rows of a channel then spread over several lanes.
TrafficNeed bias_load(const graph::Block& block, const std::vector<std::uint32_t>& operators,
                      const models::MachineParams& machine) {
    const graph::Operator& first = block.operators[operators.front()];
    const graph::TensorShape& result = block.output(first, 0).shape;
    const bool by_channel =
        first.op == tosa::OpCode::kDepthwiseConv2d && result[0] * result[3] > machine.chip->lanes;
    if (first.op != tosa::OpCode::kConv2d && !by_channel) return {};
    return {.read = value_bytes(block.input(first, 2)), .loads = 1};
}

/// Total times of loads, work and stores of an operator, with any sizes of its tiles.
struct Tiles {
    Picoseconds load, work, store;

    /// The second tile's load overlaps with the first tile's work. Both engines finish at the same
    /// time if the first tile is the fraction load / (load + work).
    Picoseconds with_cut_loads() const { return store + together(load, work); }
    Picoseconds with_cut_stores() const { return load + together(store, work); }
    /// Lower bound for `count` tiles of any sizes. A tile with a share of the results needs at
    /// least the same share of all loads.
    Picoseconds in_parts(int count) const {
        std::vector<double> shares(static_cast<std::size_t>(count), 0);
        const double least = least_over_shares(shares, 0, kSteps);
        // The best shares differ from the nearest tried ones by at most one step.
        const double all = static_cast<double>((load + work + store).value);
        return {static_cast<std::int64_t>(std::max(0.0, least - all / kSteps))};
    }

 private:
    static Picoseconds together(Picoseconds moved, Picoseconds work) {
        const auto m = static_cast<double>(moved.value), w = static_cast<double>(work.value);
        if (m + w == 0) return {};
        return {static_cast<std::int64_t>((m * m + m * w + w * w) / (m + w))};
    }

    static constexpr int kSteps = 48;  ///< number of steps in a whole

    /// Returns the minimum over all shares of the parts from `index` on, which add up to `left`
    /// steps.
    double least_over_shares(std::vector<double>& shares, std::size_t index, int left) const {
        if (index + 1 == shares.size()) {
            shares[index] = static_cast<double>(left) / kSteps;
            return longest_way(shares);
        }
        double least = std::numeric_limits<double>::max();
        for (int own = 0; own <= left; ++own) {
            shares[index] = static_cast<double>(own) / kSteps;
            least = std::min(least, least_over_shares(shares, index + 1, left - own));
        }
        return least;
    }
    double longest_way(const std::vector<double>& shares) const {
        const auto part = [](Picoseconds time, double share) {
            return Picoseconds{static_cast<std::int64_t>(static_cast<double>(time.value) * share)};
        };
        Pipeline pipeline;
        for (const double share : shares) {
            pipeline.push_back({part(work, share), part(load, share), part(store, share)});
        }
        return static_cast<double>(end_of(pipeline).value);
    }
};

}  // namespace

std::vector<StepNeed> kernel_needs(const graph::Block& block,
                                   const std::vector<std::uint32_t>& operators,
                                   models::Picoseconds pieces, pricing::MachineHost& host) {
    const EngineTimes times(host.params(), true);
    NeedSum all;
    // The kernel's commands do not depend on the order of its values, so any variant will do.
    const auto ways = ways_of(scope_of(block, operators), host);
    for (const NeedElement& element : ways.front()) all.add(element);
    all.traffic.more += pieces + channel_pieces(block, operators, host.params());
    all.traffic.add(bias_load(block, operators, host.params()));
    const IssueNeed begin{1, instructions_of(block, operators, 0, 1), 1, 0};
    const Picoseconds store = all.traffic.stores > 0 ? times.traffic({.stores = 1}) : Picoseconds{};
    const std::int64_t transfers = all.traffic.loads + all.traffic.stores;
    const auto need = [&](Picoseconds engines, std::int64_t tile_count, std::int64_t moved,
                          std::int64_t commands) {
        const std::int64_t instructions =
            instructions_of(block, operators, transfers + moved, tile_count);
        return StepNeed{
            engines, times.issue(begin) + engines, begin, {commands, instructions, 1, 0}, store};
    };
    TrafficNeed loads = all.traffic, stores;
    stores.written = std::exchange(loads.written, 0);
    stores.stores = std::exchange(loads.stores, 0);
    // The additional time belongs to neither loads nor stores.
    loads.more = {};
    const Tiles tiles{times.traffic(loads), times.compute(all.compute), times.traffic(stores)};
    const Picoseconds traffic = times.traffic(all.traffic);
    // Each further tile adds at least one command of the compute engine and one of the GDMA.
    const auto at_least = [&](Picoseconds time, std::int64_t tile_count) {
        const Picoseconds more =
            std::min(times.traffic({.loads = 1}), times.traffic({.stores = 1}));
        ComputeNeed cut = all.compute;
        cut.commands += tile_count - 1;
        const Picoseconds moved = traffic + Picoseconds{more.value * (tile_count - 1)};
        const Picoseconds load =
            all.traffic.loads > 0 ? times.traffic({.loads = 1}) : Picoseconds{};
        return std::max({time, moved, load + times.compute(cut) + store});
    };
    const std::int64_t commands = all.commands();
    const Picoseconds one_side = std::min(tiles.with_cut_loads(), tiles.with_cut_stores());
    return {need(traffic + times.compute(all.compute), 1, 0, commands),
            need(at_least(one_side, 2), 2, 1, commands + 2),
            need(at_least(tiles.in_parts(2), 2), 2, 2, commands + 3),
            need(at_least(tiles.in_parts(3), 3), 3, 2, commands + 4),
            need(at_least({}, 4), 4, 3, commands + 6)};
}

}  // namespace okksim::sim::bound
