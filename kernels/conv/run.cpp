// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "kernels/conv/operand_store.h"
#include "kernels/conv/problem.h"
#include "kernels/conv/step_moves.h"
#include "kernels/conv/step_products.h"
#include "kernels/conv/step_shapes.h"
#include "kernels/tosa/rescale_operands.h"
#include "kernels/violations.h"

namespace okksim::kernels::conv {
namespace {

using prim::LocalTensor;

/// A step with the places of its tiles.
struct PlacedStep {
    const Step* step = nullptr;
    OperandStore::Tile input;
    OperandStore::Tile weights;
};

/// Carries out a tiled problem: in every parallel section the data mover stores the tile before and
/// loads what the next step needs while the compute engine works on this one.
class Runner {
 public:
    Runner(const Problem& problem, const SumRule& rule, const Tiling& tiling, LocalRange& range,
           const BiasParts& bias, const EpilogueRun& epilogue)
        : problem_(problem),
          rule_(rule),
          tiling_(tiling),
          inputs_(tiling.input, range),
          weights_(tiling.weights, range),
          ring_(range.take(static_cast<std::uint32_t>(tiling.ring_slots) * tiling.ring_bytes)),
          work_(range.take(static_cast<std::uint32_t>(tiling.work_planes) * tiling.plane_bytes)),
          operands_(
              range.take(static_cast<std::uint32_t>(tiling.operand_planes) * tiling.plane_bytes)),
          violations_(work_),
          scratch_(range.take(0), tiling.scratch_bytes, okk_npu_num()),
          moves_(problem, tiling, scratch_.lanes()),
          products_(problem, tiling, scratch_),
          sums_(rule, bias, epilogue, scratch_) {}

    /// True when a sum did not fit.
    bool run() {
        if (checks()) clear_violations(violations_, plane_words());
        const std::vector<Step> steps = make_steps(problem_, tiling_);
        if (tiling_.zero_channels > 0) {
            inputs_.clear(scratch_.lanes());
            weights_.clear(scratch_.lanes());
        }
        PlacedStep next = prepare(steps.front());
        const Step* finished = nullptr;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const PlacedStep current = next;
            okk_parallel_start();
            if (finished != nullptr) moves_.store_output(*finished, ring_slot(tile_ - 1));
            if (i + 1 < steps.size()) next = prepare(steps[i + 1]);
            compute(current);
            okk_parallel_end();
            finished = current.step->last ? current.step : nullptr;
            if (current.step->last) ++tile_;
        }
        moves_.store_output(*finished, ring_slot(tile_ - 1));
        return checks() && any_violation(violations_, plane_words());
    }

 private:
    bool checks() const { return rule_.check != SumCheck::kNone; }
    int plane_words() const { return static_cast<int>(tiling_.plane_bytes / 4); }

    local_addr_t ring_slot(std::int64_t tile) const {
        return ring_ + static_cast<std::uint32_t>(tile % tiling_.ring_slots) * tiling_.ring_bytes;
    }

    /// Where operand `index` of the epilogue lies for an output tile.
    local_addr_t operand_plane(std::int64_t tile, std::size_t index) const {
        const std::int64_t first = tile % tiling_.ring_slots * rule_.epilogue_operands;
        return operands_ + static_cast<std::uint32_t>(first + static_cast<std::int64_t>(index)) *
                               tiling_.plane_bytes;
    }

    void load_operands(const Step& step) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(rule_.epilogue_operands); ++i) {
            moves_.load_operand(step, problem_.epilogue->stored[i],
                                operand_plane(prepared_tiles_, i));
        }
        ++prepared_tiles_;
    }

    PlacedStep prepare(const Step& step) {
        PlacedStep placed;
        placed.step = &step;
        if (step.last) load_operands(step);
        if (step.empty) return placed;
        placed.input = inputs_.find(step.input_key);
        placed.weights = weights_.find(step.weight_key);
        if (placed.weights.load) moves_.load_weights(step, placed.weights.packed);
        if (placed.input.load) moves_.load_input(step, placed.input.packed);
        return placed;
    }

    void compute(const PlacedStep& placed) {
        const Step& step = *placed.step;
        const OperandStore::Tile& input = placed.input;
        const OperandStore::Tile& weights = placed.weights;
        if (step.first) begin_tile(step);
        if (weights.widen) products_.widen_weights(step, {weights.packed, weights.words});
        if (input.widen) products_.widen_input(step, {input.packed, input.words});
        if (!step.empty) {
            products_.add(step, input.words, weights.words, sums_, sum_, partial_);
        }
        if (step.last) sums_.finish();
    }

    void begin_tile(const Step& step) {
        const dim4 shape = output_shape(step);
        int taken = checks() ? 1 : 0;  // the first plane is that of the violations
        const auto work = [&] {
            return LocalTensor{work_ + static_cast<std::uint32_t>(taken++) * tiling_.plane_bytes,
                               shape, std::nullopt};
        };
        Accumulator::Buffers buffers;
        buffers.result = ring_slot(tile_);
        for (std::size_t i = 0; i < static_cast<std::size_t>(rule_.epilogue_operands); ++i) {
            buffers.operands.push_back({operand_plane(tile_, i), shape, std::nullopt});
        }
        const bool in_ring = sum_memory(rule_).ring_planes > 0;
        buffers.sum = in_ring ? LocalTensor{buffers.result, shape, std::nullopt} : work();
        if (rule_.exact() && !rule_.single_pass) {
            buffers.high = work();
            buffers.low = work();
            if (rule_.sum == tosa::DType::kI48) buffers.top = work();
        }
        if (checks()) buffers.violations = LocalTensor{violations_, shape, std::nullopt};
        sum_ = buffers.sum;
        if (taken < tiling_.work_planes) partial_ = work();
        sums_.begin(buffers, step.channels.begin);
    }

    const Problem& problem_;
    const SumRule& rule_;
    const Tiling& tiling_;
    OperandStore inputs_;
    OperandStore weights_;
    local_addr_t ring_;
    local_addr_t work_;
    local_addr_t operands_;    ///< of the epilogue
    local_addr_t violations_;  ///< of all tiles
    prim::Scratch scratch_;
    StepMoves moves_;
    StepProducts products_;
    Accumulator sums_;
    std::int64_t tile_ = 0;            ///< output tiles completed
    std::int64_t prepared_tiles_ = 0;  ///< output tiles whose last step is prepared
    LocalTensor sum_;                  ///< of the present output tile
    LocalTensor partial_;
};

/// Bytes that bias and constants of all channels may take of local memory.
std::uint32_t channel_room(std::uint32_t local_bytes) { return local_bytes / 4; }

/// Output channels [first, first + count) of a problem as one of its own.
Problem channels_of(const Problem& problem, std::int32_t first, std::int32_t count) {
    Problem part = problem;
    part.output_channels = count;
    part.first_channel += first;
    const auto move = [first](std::uint64_t& address, std::int64_t stride, int bytes) {
        address += static_cast<std::uint64_t>(first * stride * bytes);
    };
    move(part.output.address, problem.output.channel, stored_bytes(problem.output.type));
    move(part.weights.address, problem.weights.output, stored_bytes(problem.weights.stored_type()));
    if (problem.bias.present) {
        move(part.bias.address, problem.bias.stride, problem.bias.stored_bytes());
    }
    if (problem.kind == ProblemKind::kDepthwise) {
        part.input_channels = count;
        move(part.input.address, problem.input.channel, stored_bytes(problem.input.type));
    }
    return part;
}

/// Local memory of a problem whose output channels all fit: bias and the epilogue's constants
/// first, then the tiles.
struct Room {
    LocalRange range;
    local_addr_t bias = 0;
    local_addr_t epilogue = 0;
    Machine machine;
};

Room room_for(const Problem& problem, const SumRule& rule) {
    Room room;
    room.machine.lanes = okk_npu_num();
    room.bias = room.range.take(
        BiasParts::bytes(problem.bias, problem.output_channels, room.machine.lanes));
    room.epilogue =
        room.range.take(EpilogueRun::bytes(rule, problem.output_channels, room.machine.lanes));
    room.machine.local_bytes = okk_local_mem_size_per_npu() - room.range.next();
    return room;
}

bool run_channels(const Problem& problem) {
    const SumRule rule = sum_rule(problem);
    Room room = room_for(problem, rule);
    const Tiling tiling = choose_tiling(problem, rule, room.machine);
    prim::Scratch scratch(room.range.next(), room.machine.local_bytes, room.machine.lanes);
    const BiasParts bias(problem.bias, problem.output_channels, room.bias, scratch);
    if (rule.upper_bias_as_float()) bias.upper_half_to_float();
    const EpilogueRun epilogue(problem, rule, room.epilogue, room.machine.lanes);
    return Runner(problem, rule, tiling, room.range, bias, epilogue).run();
}

/// Output channels whose bias and constants leave room enough for tiles.
std::int32_t channels_at_a_time(const Problem& problem) {
    const int lanes = okk_npu_num();
    const std::uint32_t rows = problem.epilogue != nullptr && problem.epilogue->scale
                                   ? std::uint32_t{kMostScaleRows} * 4
                                   : 0;
    const std::uint32_t per_slot =
        std::max(BiasParts::bytes(problem.bias, lanes, lanes) + rows, std::uint32_t{1});
    const std::int64_t slots = channel_room(okk_local_mem_size_per_npu()) / per_slot;
    return static_cast<std::int32_t>(
        std::min<std::int64_t>(slots * lanes, problem.output_channels));
}

}  // namespace

bool run(const Problem& problem) {
    const std::int32_t most = channels_at_a_time(problem);
    bool violated = false;
    for (std::int32_t first = 0; first < problem.output_channels; first += most) {
        violated |= run_channels(
            channels_of(problem, first, std::min(most, problem.output_channels - first)));
    }
    return violated;
}

double estimate_microseconds(const Problem& problem) {
    const std::int32_t most = channels_at_a_time(problem);
    const Problem part = channels_of(problem, 0, most);
    const SumRule rule = sum_rule(part);
    const Tiling tiling = choose_tiling(part, rule, room_for(part, rule).machine);
    return tiling.microseconds * problem.output_channels / most;
}

}  // namespace okksim::kernels::conv
