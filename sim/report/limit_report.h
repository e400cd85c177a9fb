// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/execution/model_run.h"
#include "sim/report/operator_table.h"
#include "sim/trace/roofline.h"

/// What a network could take at least, beside what it takes, and what stands between: whole, and
/// step by step (docs/REPORTS.md).
namespace okksim::sim::report {

/// A run, or a plan that was timed.
struct LimitedRun {
    const execution::ExecutionReport& report;
    const execution::MemoryUse& memory;
    const execution::RunLimits& limits;
    const std::vector<execution::StepRun>& steps;
    const models::MachineParams& machine;
};

/// The least time of a run, whatever its plan.
trace::NetworkFloor run_floor(const execution::ExecutionReport& report,
                              const execution::MemoryUse& memory,
                              const models::MachineParams& machine);

/// Floor and bound beside the time, with the three largest parts of what is lost; the steps that
/// lose most. `what`: "run", "plan".
std::string limit_text(const LimitedRun& run, const std::string& what);

/// "us", "issue_us", "compute_us", "memory_us", "dependences_us", "limit".
nlohmann::ordered_json bound_json(const bound::ReachableBound& bound);
/// For operator_csv().
StepBounds step_bounds(const execution::RunLimits& limits,
                       const std::vector<execution::StepRun>& steps);
/// "floor".
nlohmann::ordered_json floor_json(const LimitedRun& run);
/// "steps_beside_bounds": an object per step.
nlohmann::ordered_json step_limits_json(const LimitedRun& run);

}  // namespace okksim::sim::report
