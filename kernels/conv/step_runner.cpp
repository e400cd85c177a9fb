// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/step_runner.h"

#include <vector>

#include "kernels/call/computing.h"
#include "kernels/call/violations.h"
#include "kernels/conv/step_shapes.h"

namespace okksim::kernels::conv {

using prim::LocalTensor;

StepRunner::StepRunner(const Problem& problem, const SumRule& rule, const Tiling& tiling,
                       LocalRange& range, const BiasParts& bias, const EpilogueRun& epilogue,
                       const Lanes& lanes)
    : problem_(problem),
      rule_(rule),
      tiling_(tiling),
      places_(place_tiles(tiling, range)),
      inputs_(tiling.input, places_.input),
      weights_(tiling.weights, places_.weights),
      violations_(places_.work),
      scratch_(places_.scratch, tiling.scratch_bytes, lanes),
      moves_(problem, tiling, lanes),
      products_(problem, tiling, scratch_),
      sums_(rule, bias, epilogue, scratch_) {}

bool StepRunner::run() {
    if (checks()) clear_violations(violations_, plane_words(), scratch_.lanes());
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
        if (finished != nullptr) store(*finished, tile_ - 1);
        if (i + 1 < steps.size()) next = prepare(steps[i + 1]);
        compute(current);
        okk_parallel_end();
        finished = current.step->last ? current.step : nullptr;
        if (current.step->last) ++tile_;
    }
    store(*finished, tile_ - 1);
    return checks() && any_violation(violations_, plane_words(), scratch_.lanes());
}

local_addr_t StepRunner::operand_plane(std::int64_t tile, std::size_t index) const {
    const std::int64_t first = tile % tiling_.ring_slots * rule_.epilogue_operands;
    return places_.operands + static_cast<std::uint32_t>(first + static_cast<std::int64_t>(index)) *
                                  tiling_.plane_bytes;
}

void StepRunner::load_operands(const Step& step) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(rule_.epilogue_operands); ++i) {
        moves_.load_operand(step, problem_.epilogue->stored[i], operand_plane(prepared_tiles_, i));
    }
    ++prepared_tiles_;
}

StepRunner::PlacedStep StepRunner::place(const Step& step) {
    PlacedStep placed;
    placed.step = &step;
    if (step.empty) return placed;
    placed.input = inputs_.find(step.input_key);
    placed.weights = weights_.find(step.weight_key);
    return placed;
}

void StepRunner::load_input(const PlacedStep& placed) const {
    if (placed.input.load) moves_.load_input(*placed.step, placed.input.packed);
}

void StepRunner::load_weights(const PlacedStep& placed) const {
    if (placed.weights.load) moves_.load_weights(*placed.step, placed.weights.packed);
}

void StepRunner::widen_input(const PlacedStep& placed) const {
    if (!placed.input.widen) return;
    charge(OwnWork::kWidening);
    products_.widen_input(*placed.step, {placed.input.packed, placed.input.words});
}

void StepRunner::widen_weights(const PlacedStep& placed) const {
    if (!placed.weights.widen) return;
    charge(OwnWork::kWidening);
    products_.widen_weights(*placed.step, {placed.weights.packed, placed.weights.words});
}

void StepRunner::add_products(const PlacedStep& placed) {
    charge(OwnWork::kStep);
    if (placed.step->empty) return;
    products_.add(*placed.step, placed.input.words, placed.weights.words, sums_, sum_, partial_);
}

StepRunner::PlacedStep StepRunner::prepare(const Step& step) {
    if (step.last) load_operands(step);
    const PlacedStep placed = place(step);
    load_weights(placed);
    load_input(placed);
    return placed;
}

void StepRunner::compute(const PlacedStep& placed) {
    if (placed.step->first) begin_tile(*placed.step);
    widen_weights(placed);
    widen_input(placed);
    add_products(placed);
    if (placed.step->last) finish_tile();
}

void StepRunner::begin_tile(const Step& step) {
    charge(OwnWork::kOutputTile);
    const dim4 shape = output_shape(step);
    int taken = checks() ? 1 : 0;  // the first plane is that of the violations
    const auto work = [&] {
        return LocalTensor{places_.work + static_cast<std::uint32_t>(taken++) * tiling_.plane_bytes,
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

}  // namespace okksim::kernels::conv
