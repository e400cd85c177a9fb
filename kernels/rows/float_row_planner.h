// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/planning/host.h"
#include "kernels/rows/float_row_plan.h"

namespace okksim::kernels::rows {

/// All plans that may be the fastest. Empty if local memory or the commands cannot hold a tile.
std::vector<FloatRowPlan> float_row_candidates(const FloatRowProgram& program,
                                               const Members& members,
                                               const isa::MachineShape& machine);
/// True if there is a plan.
bool has_float_row_plan(const FloatRowProgram& program, const Members& members,
                        const isa::MachineShape& machine);

/// Planner: returns the fastest plan for the call.
FloatRowPlan plan_float_rows(const OperatorCall& call, Host& host);

}  // namespace okksim::kernels::rows
