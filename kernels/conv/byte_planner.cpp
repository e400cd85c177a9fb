// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/byte_planner.h"

#include <algorithm>
#include <limits>

#include "isa/layout.h"
#include "isa/limits.h"
#include "kernels/call/prepared_space.h"
#include "kernels/conv/byte_steps.h"
#include "kernels/conv/byte_unfold.h"
#include "kernels/conv/epilogue.h"
#include "kernels/conv/sum_rule.h"
#include "kernels/planning/fastest.h"

namespace okksim::kernels::conv {
namespace {

using tosa::DType;

bool is_depthwise(const Problem& problem) { return problem.kind == ProblemKind::kDepthwise; }

bool fits_command(const WindowAxis& axis) {
    return axis.stretch == 1 && axis.step <= isa::kMostStep && axis.spacing <= isa::kMostStep;
}

/// True if all values of a bias fit the commands.
bool is_word(const Bias& bias) {
    return bias.type == DType::kI32 ||
           (bias.type == DType::kI48 && bias.largest <= std::numeric_limits<std::int32_t>::max());
}

/// True if the commands support the types, axes and values.
bool has_byte_commands(const Problem& problem, const Lanes& lanes) {
    if (!lanes.has(isa::Feature::kInt8Mac)) return false;
    if (problem.input.type == DType::kI16) {
        if (!lanes.has(isa::Feature::kInt16Mac) || problem.weights.of_each_image()) return false;
    } else if (problem.input.type != DType::kI8) {
        return false;
    }
    if (problem.weights.type != DType::kI8 && problem.weights.type != DType::kI4) return false;
    if (problem.weights.prepared) return false;
    const bool has_own_weights = problem.weights.of_each_image();
    if (has_own_weights &&
        (problem.terms() != problem.input_channels || problem.weights.type != DType::kI8)) {
        return false;
    }
    if (!problem.input_zero.value || !problem.weight_zero.value) return false;
    if (problem.bias.present && !is_word(problem.bias)) return false;
    const bool is_flat =
        problem.z.taps == 1 && problem.z.output == 1 && problem.z.input == 1 && problem.z.pad == 0;
    if (!is_flat || !fits_command(problem.y) || !fits_command(problem.x)) return false;
    return problem.input_channels <= isa::kMostChannels &&
           problem.x.output <= isa::kMostWindowExtent && problem.images <= isa::kMostBatch;
}

/// Sets how sums are scaled. Returns false if the machine cannot scale them.
bool scale_of(const Problem& problem, const Lanes& lanes, std::optional<ByteScale>& scale) {
    const bool is_wide = problem.input.type == DType::kI16;
    if (problem.epilogue == nullptr) {
        return problem.output.type == (is_wide ? DType::kI48 : DType::kI32);
    }
    if (is_wide || !problem.epilogue->scale) return false;
    if (!lanes.has(isa::Feature::kRequantise)) return false;
    const SumScale& own = *problem.epilogue->scale;
    // Unsigned values use the signed type of the same width: ScaleOutput has their limits.
    scale = ByteScale{own.factors, own.output, own.rounding == prim::ScaleRounding::kDouble,
                      lanes.has(isa::Feature::kFusedRescale)};
    return true;
}

/// True if every tile reads inputs and its padding fits a command.
bool has_short_padding(const Problem& problem, std::int32_t rows) {
    const auto is_short = [](const AxisSlice& slice) {
        return slice.count > 0 && slice.before <= isa::kMostPadding &&
               slice.after <= isa::kMostPadding && slice.span() <= isa::kMostWindowExtent;
    };
    if (!is_short(byte_columns(problem))) return false;
    for (std::int32_t first = 0; first < problem.y.output; first += rows) {
        if (!is_short(byte_rows(problem, first, rows))) return false;
    }
    return true;
}

/// Makes plans for numbers of channel slots, images and rows of a tile. Returns nothing if local
/// memory cannot hold them.
class Placement {
 public:
    Placement(const Problem& problem, const BytePlan& base, std::int64_t local_bytes)
        : problem_(problem), base_(base), local_bytes_(local_bytes) {}

    std::optional<BytePlan> place(std::int32_t slots, std::int32_t images,
                                  std::int32_t rows) const {
        BytePlan plan = base_;
        plan.images = images;
        plan.rows = rows;
        add_blocks(plan, slots);
        const std::int64_t in_channels =
            is_depthwise(problem_) ? plan.blocks.front().count : problem_.input_channels;
        const std::int64_t spans =
            std::min<std::int64_t>(span_of(problem_.y, AxisMode::kWindow, rows, problem_.y.taps),
                                   problem_.y.input) *
            byte_columns(problem_).count;
        const std::int64_t outputs = std::int64_t{rows} * problem_.x.output;
        const int stored = stored_bytes(problem_.output.type);
        // In 64 bits: sizes that do not fit may be far larger than local memory.
        const std::int64_t results = std::int64_t{images} * plan.blocks.front().slots;
        const std::int64_t constants = whole_lines(plan.blocks.front().words * isa::kWordBytes);
        const std::int64_t weights =
            problem_.weights.of_each_image()
                ? whole_lines(images * plan.blocks.front().weight_words * isa::kWordBytes)
                : 0;
        const std::int64_t input = whole_lines(spans * stored_bytes(problem_.input.type)) * images *
                                   base_.lanes.slots(in_channels);
        const std::int64_t output = whole_lines(outputs * stored) * results;
        const bool has_sums = plan.scale && !plan.scale->is_fused;
        const std::int64_t sums = has_sums ? whole_lines(outputs * isa::kWordBytes) * results : 0;
        const std::int64_t blocks = plan.blocks.size() > 1 ? 2 : 1;
        const std::int64_t buffers = byte_step_count(problem_, plan) > 1 ? 2 : 1;
        const std::int64_t maps = blocks * constants + buffers * weights;
        if (maps + buffers * (input + output) + sums > local_bytes_) return std::nullopt;
        const auto place = [](std::int64_t bytes) { return static_cast<local_addr_t>(bytes); };
        plan.constant_bytes = place(constants);
        plan.weight_bytes = place(weights);
        plan.input_bytes = place(input);
        plan.output_bytes = place(output);
        plan.weights = place(blocks * constants);
        plan.input = place(maps);
        plan.output = place(maps + buffers * input);
        plan.sums = place(maps + buffers * (input + output));
        return plan;
    }

 private:
    void add_blocks(BytePlan& plan, std::int32_t slots) const {
        const std::int32_t most = slots * plan.lanes.count;
        for (std::int32_t first = 0; first < problem_.output_channels; first += most) {
            ByteBlock block =
                byte_block(problem_, plan.scale.has_value(), first,
                           std::min(most, problem_.output_channels - first), plan.lanes);
            block.constants = take_prepared(plan.packed_bytes, block.bytes(plan.lanes));
            plan.blocks.push_back(block);
        }
    }
    std::int64_t whole_lines(std::int64_t bytes) const {
        return base_.lanes.whole_line_bytes(bytes);
    }

    const Problem& problem_;
    const BytePlan& base_;
    std::int64_t local_bytes_;
};

/// Sizes from `most` down, each about two thirds of the previous one.
std::vector<std::int32_t> sizes(std::int32_t most) {
    std::vector<std::int32_t> all;
    for (std::int32_t parts = 1; parts <= most; parts = std::max(parts + 1, parts * 3 / 2)) {
        const auto size = isa::narrow(isa::div_up(most, parts));
        if (all.empty() || size < all.back()) all.push_back(size);
    }
    return all;
}

std::vector<BytePlan> candidates(const Problem& problem, const BytePlan& base,
                                 std::int64_t local_bytes) {
    const Placement placement(problem, base, local_bytes);
    const bool has_own_weights = problem.weights.of_each_image();
    const std::vector<std::int32_t> image_counts =
        has_own_weights ? sizes(problem.images) : std::vector{std::min(problem.images, 4)};
    std::vector<BytePlan> plans;
    const auto slots = isa::narrow(base.lanes.slots(std::min(
        problem.output_channels, isa::kMostChannels / base.lanes.count * base.lanes.count)));
    for (const std::int32_t own_slots : sizes(slots)) {
        for (const std::int32_t rows : sizes(problem.y.output)) {
            if (!has_short_padding(problem, rows)) continue;
            for (const std::int32_t images : image_counts) {
                auto plan = placement.place(own_slots, images, rows);
                if (plan) plans.push_back(*std::move(plan));
            }
        }
    }
    return plans;
}

/// The fastest of the plans of a problem. `seen` is the problem after folding or unfolding.
std::optional<BytePlan> best_plan(const Problem& problem, const Problem& seen, const BytePlan& base,
                                  std::uint64_t prepared, Host& host) {
    std::vector<BytePlan> plans = candidates(seen, base, host.machine().local_bytes);
    if (plans.empty()) return std::nullopt;
    const auto run = [&](const BytePlan& plan, std::int64_t most) {
        run_bytes(problem, plan, prepared, most);
    };
    BytePlan best = fastest_plan(std::move(plans), host, [&](const BytePlan& plan) {
        const std::int64_t steps = byte_step_count(seen, plan);
        return SteppedFirmware{steps, static_cast<double>(steps),
                               [&run, &plan](std::int64_t most) { run(plan, most); }};
    });
    best.packed = seen;
    best.packed.input.address = best.packed.output.address = 0;
    best.packed.weights.address = best.packed.bias.address = 0;
    best.packed.input_zero = best.packed.weight_zero = {};
    best.packed.epilogue = nullptr;
    best.time = host.time([&] { run(best, INT64_MAX); });
    return best;
}

}  // namespace

std::optional<BytePlan> plan_bytes(const Problem& problem, std::uint64_t prepared, Host& host) {
    BytePlan base;
    base.lanes = lanes_of(host.machine());
    const Problem flat = folded(problem);
    if (!has_byte_commands(flat, base.lanes)) return std::nullopt;
    if (!scale_of(problem, base.lanes, base.scale)) return std::nullopt;
    const bool packs = base.scale || problem.bias.present || !problem.weights.of_each_image();
    if (packs && prepared == 0) return std::nullopt;
    if (sum_rule(problem, base.lanes).check != SumCheck::kNone) return std::nullopt;
    std::optional<BytePlan> plan = best_plan(problem, flat, base, prepared, host);
    if (!can_unfold(problem, base.lanes)) return plan;
    base.unfolds = true;
    std::optional<BytePlan> unfolding = best_plan(problem, unfolded(problem), base, prepared, host);
    const bool is_better = unfolding && (!plan || unfolding->time < plan->time);
    return is_better ? unfolding : plan;
}

}  // namespace okksim::kernels::conv
