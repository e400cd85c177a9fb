// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/conv/byte_plan.h"
#include "kernels/conv/folded_plan.h"
#include "kernels/conv/problem.h"
#include "kernels/conv/sum_rule.h"
#include "kernels/conv/tiling.h"
#include "kernels/planning/host.h"

/// Decisions about convolutions before they run.
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

}  // namespace okksim::kernels::conv
