// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sim/study/gate/workload_runs.h"

namespace okksim::sim::gate {

/// Runs a task in this process.
GateOutcome run_task(const GateTask& task);

/// Runs tasks in `jobs` child processes and returns their outcomes in order. `progress` is called
/// after each. A task has no outcome if a stop request came before it ended.
std::vector<std::optional<GateOutcome>> run_tasks(
    const std::vector<GateTask>& tasks, int jobs,
    const std::function<void(std::size_t done, std::size_t all)>& progress);

}  // namespace okksim::sim::gate
