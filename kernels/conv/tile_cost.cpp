// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/tile_cost.h"

#include <algorithm>

#include "isa/layout.h"
#include "kernels/conv/operand.h"

namespace okksim::kernels::conv {
namespace {

using isa::div_up;

// The reference machine, rounded (sim/machines/bm1684.toml).
constexpr double kIssueMicroseconds = 3.6;        // control processor, per command
constexpr double kComputeStart = 2.6;             // compute engine, per command
constexpr double kMoveStart = 1.2;                // data mover, per command
constexpr double kCyclesPerMicrosecond = 550.0;   // compute engine
constexpr double kBytesPerMicrosecond = 24000.0;  // data mover
constexpr std::int64_t kElementsPerCycle = 16;    // of a lane
constexpr double kWordCycles = 1.5;               // element-wise commands, per group

/// Loads of each operand over the whole run, by the loop order and what is kept.
struct Loads {
    double inputs = 0;
    double weights = 0;
};

Loads count_loads(const Problem& problem, const Tiling& tiling) {
    const TileCounts& counts = tiling.counts;
    const auto chunks = static_cast<double>(counts.chunks());
    const auto spatial = static_cast<double>(counts.spatial());
    const auto channels = static_cast<double>(counts.channels);
    const double images = problem.weights.image != 0 ? static_cast<double>(counts.images) : 1.0;
    const double all = spatial * channels * chunks;
    if (problem.kind == ProblemKind::kDepthwise) {
        return {all, chunks > 1 ? all : channels};
    }
    Loads loads{all, all};
    if (tiling.order.channels_outside) {
        if (chunks == 1 || tiling.order.keep_weights) loads.weights = channels * chunks * images;
        if (tiling.order.keep_inputs || spatial * chunks == 1) loads.inputs = spatial * chunks;
    } else {
        if (chunks == 1 || tiling.order.keep_inputs) loads.inputs = spatial * chunks;
        if (tiling.order.keep_weights || channels * chunks == 1) {
            loads.weights = channels * chunks * images;
        }
    }
    return loads;
}

}  // namespace

double estimate_microseconds(const Problem& problem, const SumRule& rule, const Machine& machine,
                             const Tiling& tiling) {
    const Tile& tile = tiling.tile;
    const bool depthwise = problem.kind == ProblemKind::kDepthwise;
    const auto lanes = static_cast<double>(machine.lanes);
    const Loads loads = count_loads(problem, tiling);
    const auto steps = static_cast<double>(tiling.counts.steps());
    const auto tiles = static_cast<double>(tiling.counts.spatial() * tiling.counts.channels);
    const int products = limbs_of(problem.input.type) * limbs_of(problem.weights.type);

    // One product command of a whole tile.
    const auto rows = static_cast<double>(tile.images * div_up(tile.channels, machine.lanes));
    const auto groups =
        static_cast<double>(div_up(std::int64_t{tile.y} * tile.x, kElementsPerCycle));
    const double taps = static_cast<double>(tile.taps_y) * tile.taps_x;
    const double tap_cycles =
        depthwise ? 1.0 + problem.x.step : static_cast<double>(div_up(tile.inputs, 2));
    const double product_cycles = rows * groups * (taps * tap_cycles + 5.0) * products;
    const double terms = depthwise ? taps : taps * tile.inputs;
    const double passes =
        rule.exact() ? std::max(1.0, terms / static_cast<double>(rule.exact_terms)) : 1.0;

    const SumMemory sums = sum_memory(rule);
    const bool widen_input = tiling.input.plane_slots > 0;
    const bool widen_weights = tiling.weights.plane_slots > 0;
    const double input_commands =
        widen_input ? widen_commands(problem.input.type) + (tiling.zeros_in_tile ? 3 : 0) : 0;
    const double weight_commands = widen_weights ? widen_commands(problem.weights.type) : 0;
    const double input_groups = tiling.input.plane_bytes / 64.0;
    const double weight_groups = tiling.weights.plane_bytes / 64.0;
    const double output_groups = tiling.plane_bytes / 64.0;

    const double compute_commands = steps * products * passes + loads.inputs * input_commands +
                                    loads.weights * weight_commands + tiles * sums.commands;
    const double compute =
        compute_commands * kComputeStart +
        (steps * product_cycles + kWordCycles * (loads.inputs * input_commands * input_groups +
                                                 loads.weights * weight_commands * weight_groups +
                                                 tiles * sums.commands * output_groups)) /
            kCyclesPerMicrosecond;
    const double input_bytes = tiling.input.packed_bytes * lanes;
    const double weight_bytes = tiling.weights.packed_bytes * lanes;
    const double output_bytes = tiling.ring_bytes * lanes;
    const double moves = loads.inputs + loads.weights + tiles;
    const double move = moves * kMoveStart + (loads.inputs * input_bytes +
                                              loads.weights * weight_bytes + tiles * output_bytes) /
                                                 kBytesPerMicrosecond;
    const double issue = (moves + compute_commands) * kIssueMicroseconds;
    const double ends = (input_bytes + weight_bytes + output_bytes) / kBytesPerMicrosecond;
    return std::max({compute, move, issue}) + ends;
}

}  // namespace okksim::kernels::conv
