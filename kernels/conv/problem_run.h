// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/conv/problem.h"
#include "kernels/conv/problem_plan.h"
#include "kernels/conv/sum_rule.h"
#include "kernels/conv/tiling.h"

namespace okksim::kernels::conv {

/// Firmware: runs a problem whose output channels are those of one round.
bool run_round(const Problem& problem, const SumRule& rule, const Tiling& tiling);

/// Firmware: runs the problem, in serial mode before and after. Overwrites local memory. Returns
/// true if an integer sum of an output, without or with its bias, does not fit the accumulator.
/// Waits for the machine if overflow is possible.
[[nodiscard]] bool run(const Problem& problem, const ProblemPlan& plan);

}  // namespace okksim::kernels::conv
