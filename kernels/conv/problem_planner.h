// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/conv/problem.h"
#include "kernels/conv/problem_plan.h"
#include "kernels/planning/host.h"

namespace okksim::kernels::conv {

/// Planner: the fastest plan of the problem. `most_time`: the time of another plan. The search
/// stops when it cannot be faster, and returns a plan of that time or more. ProgramFault (out of
/// memory) if the smallest tile does not fit.
ProblemPlan plan(const Problem& problem, Host& host, Duration most_time = Duration::max());

}  // namespace okksim::kernels::conv
