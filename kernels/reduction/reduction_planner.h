// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/planning/host.h"
#include "kernels/reduction/reduction_plan.h"

namespace okksim::kernels {

/// Planner: the fastest tiles. `combiner`: with the terms of the space.
ReductionPlan plan_reduction(const Combiner& combiner, const ReductionSpace& space, Host& host);
/// All plans that plan_reduction() chooses from.
std::vector<ReductionPlan> reduction_candidates(const Combiner& combiner,
                                                const ReductionSpace& space,
                                                const isa::MachineShape& machine);

}  // namespace okksim::kernels
