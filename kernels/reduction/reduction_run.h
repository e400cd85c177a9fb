// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/reduction/reduction_plan.h"

namespace okksim::kernels {

/// Firmware: the first `most` steps of a plan. `combiner`: of the space's terms.
void run_reduction_steps(const Combiner& combiner, const ReductionSpace& space,
                         const ReductionPlan& plan, std::int64_t most);
/// Firmware: runs all steps. Returns true if the combiner checks and found a violation.
bool run_reduction(const Combiner& combiner, const ReductionSpace& space,
                   const ReductionPlan& plan);

}  // namespace okksim::kernels
