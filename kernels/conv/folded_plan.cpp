// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/folded_plan.h"

#include <algorithm>
#include <cstring>

#include "firmware/okk_access.h"
#include "isa/layout.h"
#include "isa/limits.h"
#include "kernels/call/computing.h"
#include "kernels/planning/fastest.h"

namespace okksim::kernels::conv {
namespace {

using tosa::DType;

/// Numbers of tiles that are priced: more tiles only add commands.
constexpr std::size_t kPricedTiles = 5;

std::int32_t planes_of(const Problem& problem) { return problem.images * problem.output_channels; }

std::int64_t constant_words(const Problem& problem) { return 1 + problem.terms(); }

bool fits_command(const WindowAxis& axis) {
    return axis.stretch == 1 && axis.step <= isa::kMostStep && axis.spacing <= isa::kMostStep;
}

bool can_fold(const Problem& problem, const Lanes& lanes) {
    const bool is_float = problem.input.type == DType::kFp32 &&
                          problem.output.type == DType::kFp32 &&
                          problem.weights.type == DType::kFp32;
    if (problem.kind != ProblemKind::kDepthwise || !is_float) return false;
    if (problem.epilogue != nullptr || !problem.bias.present) return false;
    if (problem.weights.of_each_image() || problem.output_channels > lanes.count / 2) return false;
    const bool is_flat =
        problem.z.taps == 1 && problem.z.output == 1 && problem.z.input == 1 && problem.z.pad == 0;
    if (!is_flat || !fits_command(problem.y) || !fits_command(problem.x)) return false;
    const AxisSlice columns =
        slice_of(problem.x, AxisMode::kWindow, {0, problem.x.output}, {0, problem.x.taps});
    return columns.count > 0 && std::max(columns.before, columns.after) <= isa::kMostPadding &&
           columns.span() <= isa::kMostWindowExtent && planes_of(problem) <= lanes.count;
}

/// Returns nothing if the tile does not fit local memory or a command.
std::optional<FoldedPlan> place(const Problem& problem, FoldedPlan plan, std::int64_t local_bytes) {
    const AxisSlice columns =
        slice_of(problem.x, AxisMode::kWindow, {0, problem.x.output}, {0, problem.x.taps});
    const std::int64_t span = span_of(problem.y, AxisMode::kWindow, plan.rows, problem.y.taps);
    if (span > isa::kMostWindowExtent) return std::nullopt;
    const auto whole = [&](std::int64_t words) {
        return plan.lanes.whole_line_bytes(words * isa::kWordBytes);
    };
    const std::int64_t constants = whole(constant_words(problem));
    const std::int64_t input = whole(span * columns.count);
    const std::int64_t output = whole(std::int64_t{plan.rows} * problem.x.output);
    const std::int64_t buffers = plan.pieces * plan.rows < problem.y.output ? 2 : 1;
    if (constants + buffers * (input + output) > local_bytes) return std::nullopt;
    plan.input_bytes = static_cast<std::uint32_t>(input);
    plan.output_bytes = static_cast<std::uint32_t>(output);
    plan.input = static_cast<local_addr_t>(constants);
    plan.output = static_cast<local_addr_t>(constants + buffers * input);
    return plan;
}

/// Packs bias and weights of a channel in the order that a command takes.
void pack_channel(const Problem& problem, const float* weights, float bias, std::int32_t channel,
                  float* to) {
    *to++ = bias;
    for (std::int32_t y = 0; y < problem.y.taps; ++y) {
        for (std::int32_t x = 0; x < problem.x.taps; ++x) {
            *to++ = weights[channel * problem.weights.output + y * problem.weights.y +
                            x * problem.weights.x];
        }
    }
}

}  // namespace

std::uint64_t FoldedPlan::packed_bytes() const {
    return static_cast<std::uint64_t>(isa::kWordBytes * constant_words(packed) * pieces *
                                      planes_of(packed));
}

std::vector<FoldedPlan> folded_candidates(const Problem& problem,
                                          const isa::MachineShape& machine) {
    FoldedPlan base;
    base.lanes = lanes_of(machine);
    std::vector<FoldedPlan> plans;
    if (!can_fold(problem, base.lanes)) return plans;
    base.packed = problem;
    base.packed.input.address = base.packed.output.address = 0;
    base.packed.weights.address = base.packed.bias.address = 0;
    base.packed.input_zero = base.packed.weight_zero = {};
    const std::int32_t most = std::min(base.lanes.count / planes_of(problem), problem.y.output);
    for (std::int32_t pieces = most; pieces > 0; pieces -= isa::narrow(isa::div_up(pieces, 3))) {
        base.pieces = pieces;
        std::size_t fitting = 0;
        std::int32_t before = 0;
        // Each number of tiles is about a third larger than the previous one.
        for (std::int64_t tiles = 1; fitting < kPricedTiles; tiles += isa::div_up(tiles, 3)) {
            base.rows = isa::narrow(isa::div_up(problem.y.output, pieces * tiles));
            if (base.rows == before) {
                if (base.rows == 1) break;
                continue;
            }
            before = base.rows;
            if (auto plan = place(problem, base, machine.local_bytes)) {
                plans.push_back(*std::move(plan));
                ++fitting;
            }
        }
    }
    return plans;
}

std::optional<FoldedPlan> plan_folded(const Problem& problem, std::uint64_t prepared, Host& host) {
    std::vector<FoldedPlan> plans = folded_candidates(problem, host.machine());
    if (plans.empty() || prepared == 0) return std::nullopt;
    const auto run = [&](const FoldedPlan& plan, std::int64_t most) {
        run_folded(problem, plan, prepared, most);
    };
    FoldedPlan best = fastest_plan(std::move(plans), host, [&](const FoldedPlan& plan) {
        const std::int64_t tiles = isa::div_up(problem.y.output, plan.pieces * plan.rows);
        return SteppedFirmware{tiles, static_cast<double>(tiles),
                               [&run, &plan](std::int64_t most) { run(plan, most); }};
    });
    best.time = host.time([&] { run(best, INT64_MAX); });
    return best;
}

void pack_folded(const FoldedPlan& plan, std::uint64_t weights, std::uint64_t bias,
                 std::uint64_t to, const ConstantMemory& memory) {
    const Problem& problem = plan.packed;
    const std::int32_t channels = problem.output_channels;
    const Weights& from = problem.weights;
    const auto reach = [&](std::int64_t last, std::int64_t stride) { return (last - 1) * stride; };
    const std::int64_t words = 1 + reach(channels, from.output) + reach(problem.y.taps, from.y) +
                               reach(problem.x.taps, from.x);
    const std::int64_t biases = 1 + reach(channels, problem.bias.stride);
    const auto floats = [&memory](std::uint64_t address, std::int64_t count) {
        std::vector<float> values(static_cast<std::size_t>(count));
        const auto bytes = static_cast<std::uint64_t>(isa::kWordBytes * count);
        std::memcpy(values.data(), memory.read(address, bytes), bytes);
        return values;
    };
    const std::vector<float> all = floats(weights, words), own = floats(bias, biases);
    const auto row = static_cast<std::size_t>(constant_words(problem));
    const std::size_t lanes = static_cast<std::size_t>(plan.pieces * planes_of(problem));
    std::vector<float> packed(row * lanes);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const auto channel = static_cast<std::int32_t>(lane) % channels;
        pack_channel(problem, all.data(),
                     own[static_cast<std::size_t>(channel * problem.bias.stride)], channel,
                     &packed[lane * row]);
    }
    memory.write_values(to, packed);
}

}  // namespace okksim::kernels::conv
