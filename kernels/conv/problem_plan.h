// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/conv/byte_plan.h"
#include "kernels/conv/folded_plan.h"
#include "kernels/conv/problem.h"
#include "kernels/conv/sum_rule.h"
#include "kernels/conv/tiling.h"
#include "kernels/planning/host.h"

/// Decisions about convolutions before they run, and the firmware that carries them out.
namespace okksim::kernels::conv {

/// Output channels [first, first + count) of a problem, which run together.
struct RoundPlan {
    std::int32_t first = 0;
    std::int32_t count = 0;
    SumRule rule;
    Tiling tiling;

    std::uint64_t argument_words() const;
};

struct ProblemPlan {
    std::vector<RoundPlan> rounds;
    std::optional<BytePlan> bytes;     ///< with commands on bytes, in place of rounds
    std::optional<FoldedPlan> folded;  ///< images and rows over the lanes, in place of rounds
    Duration time{};                   ///< sum of the isolated times of the rounds

    std::uint64_t argument_words() const;
};

/// Planner: the fastest plan of the problem. `most_time`: the time of another plan. The search
/// stops when it cannot be faster, and returns a plan of that time or more. ProgramFault (out of
/// memory) if the smallest tile does not fit.
ProblemPlan plan(const Problem& problem, Host& host, Duration most_time = Duration::max());

/// Firmware: runs a problem whose output channels are those of one round.
bool run_round(const Problem& problem, const SumRule& rule, const Tiling& tiling);

/// Firmware: runs the problem, in serial mode before and after. Overwrites local memory. Returns
/// true if an integer sum of an output, without or with its bias, does not fit the accumulator.
/// Waits for the machine if overflow is possible.
[[nodiscard]] bool run(const Problem& problem, const ProblemPlan& plan);

}  // namespace okksim::kernels::conv
