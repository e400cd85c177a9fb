// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/problem_planner.h"

#include <algorithm>

#include "kernels/conv/bias_parts.h"
#include "kernels/conv/channel_round.h"
#include "kernels/conv/epilogue.h"
#include "kernels/conv/tile_search.h"
#include "kernels/planning/decisions.h"

namespace okksim::kernels::conv {
namespace {

/// Bytes of local memory available for bias and constants of all channels.
std::int64_t channel_room(std::int64_t local_bytes) { return local_bytes / 4; }

/// Number of output channels whose bias and constants leave enough memory for tiles.
std::int32_t channels_at_a_time(const Problem& problem, const isa::MachineShape& machine) {
    const std::uint32_t rows = problem.epilogue != nullptr && problem.epilogue->scale
                                   ? std::uint32_t{kMostScaleRows} * 4
                                   : 0;
    const std::uint32_t per_slot = std::max(
        BiasParts::bytes(problem.bias, machine.lanes, machine.lanes) + rows, std::uint32_t{1});
    const std::int64_t slots = channel_room(machine.local_bytes) / per_slot;
    return static_cast<std::int32_t>(
        std::min<std::int64_t>(slots * machine.lanes, problem.output_channels));
}

}  // namespace

ProblemPlan plan(const Problem& problem, Host& host, Duration most_time) {
    const isa::MachineShape& machine = host.machine();
    const std::int32_t most = channels_at_a_time(problem, machine);
    ProblemPlan plan;
    for (std::int32_t first = 0; first < problem.output_channels; first += most) {
        const std::int32_t count = std::min(most, problem.output_channels - first);
        const Problem part = channels_of(problem, first, count);
        SumRule rule = sum_rule(part, lanes_of(machine));
        const TimedTiling fastest = fastest_tiling(part, rule, host, left_of(most_time, plan.time));
        plan.time += fastest.time;
        if (plan.time >= most_time) return plan;
        plan.rounds.push_back({first, count, std::move(rule), fastest.tiling});
    }
    return plan;
}

}  // namespace okksim::kernels::conv
