// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/conv/channel_round.h"
#include "kernels/conv/operand_store.h"
#include "kernels/conv/problem_plan.h"
#include "kernels/conv/step_moves.h"
#include "kernels/conv/step_products.h"
#include "kernels/conv/step_shapes.h"
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

bool run_round(const Problem& problem, const RoundPlan& plan) {
    Room room = room_for(problem, plan.rule, okk_npu_num(), okk_local_mem_size_per_npu());
    prim::Scratch scratch(room.range.next(), room.machine.local_bytes, room.machine.lanes);
    const BiasParts bias(problem.bias, problem.output_channels, room.bias, scratch);
    if (plan.rule.upper_bias_as_float()) bias.upper_half_to_float();
    const EpilogueRun epilogue(problem, plan.rule, room.epilogue, room.machine.lanes);
    return Runner(problem, plan.rule, plan.tiling, room.range, bias, epilogue).run();
}

}  // namespace

bool run(const Problem& problem, const ProblemPlan& plan) {
    bool violated = false;
    for (const RoundPlan& round : plan.rounds) {
        violated |= run_round(channels_of(problem, round.first, round.count), round);
    }
    return violated;
}

}  // namespace okksim::kernels::conv
