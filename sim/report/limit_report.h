// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/execution/model_run.h"
#include "sim/report/operator_table.h"
#include "sim/trace/roofline.h"

/// Lower bounds on a network's time, compared with its actual time, and the causes of the
/// difference. They exist for the whole network and for each step (docs/reference/reports.md).
namespace okksim::sim::report {

/// A run, or a timed plan.
struct LimitedRun {
    const execution::ExecutionReport& report;
    const execution::MemoryUse& memory;
    const execution::RunLimits& limits;
    const std::vector<execution::StepRun>& steps;
    const models::MachineParams& machine;
};

/// Returns the lower bound on a run's time for any schedule.
trace::NetworkFloor run_floor(const execution::ExecutionReport& report,
                              const execution::MemoryUse& memory,
                              const models::MachineParams& machine);

/// Returns text with floor, bound and time, the three largest losses, and the steps that lose most,
/// at most `shown_steps` of them. `what` is "run" or "plan".
std::string limit_text(const LimitedRun& run, const std::string& what, std::size_t shown_steps = 8);

/// Returns an object with "us", "issue_us", "compute_us", "memory_us", "dependences_us", "limit".
nlohmann::ordered_json bound_json(const bound::ReachableBound& bound);
/// Returns the bounds for operator_csv().
StepBounds step_bounds(const execution::RunLimits& limits,
                       const std::vector<execution::StepRun>& steps);
/// Returns the object of the key "floor".
nlohmann::ordered_json floor_json(const LimitedRun& run);
/// Returns the array of the key "steps_beside_bounds", with an object per step.
nlohmann::ordered_json step_limits_json(const LimitedRun& run);

}  // namespace okksim::sim::report
