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

/// What is decided about convolutions before they run, and how they run by it.
namespace okksim::kernels::conv {

/// Output channels [first, first + count) of a problem, which are carried out together.
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
    Duration time{};                   ///< that the rounds take, each by itself

    std::uint64_t argument_words() const;
};

/// Planner: the fastest way to carry the problem out. `most_time`: the time of another plan; one
/// that is not faster is not looked for, and has that time or more. ProgramFault (out of memory)
/// when the smallest tile does not fit.
ProblemPlan plan(const Problem& problem, Host& host, Duration most_time = Duration::max());

/// Firmware: carries out a problem whose output channels are those of one round.
bool run_round(const Problem& problem, const SumRule& rule, const Tiling& tiling);

/// Firmware: carries the problem out, in serial mode before and after. Local memory is the caller's
/// to lose. True when an integer sum of an output, without or with its bias, does not fit the
/// accumulator; waits for the machine where that can be.
[[nodiscard]] bool run(const Problem& problem, const ProblemPlan& plan);

}  // namespace okksim::kernels::conv
