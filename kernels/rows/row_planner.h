// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/planning/host.h"
#include "kernels/rows/row_plan.h"

namespace okksim::kernels::rows {

/// All plans that local memory can hold, the fewest tiles first.
std::vector<RowPlan> row_candidates(const RowProgram& program, const isa::MachineShape& machine);

/// Planner: returns the fastest plan for the call.
RowPlan plan_rows(const OperatorCall& call, Host& host);

}  // namespace okksim::kernels::rows
