// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/gate/gate_file.h"
#include "sim/study/gate/sweep_record.h"
#include "sim/study/gate/time_record.h"

namespace okksim::sim::gate {

/// The result of one task.
struct GateOutcome {
    std::optional<TimeRecord> record;
    std::optional<SweepRecord> sweep;   ///< of a sweep, in place of `record`
    std::vector<std::string> wrong;     ///< outputs that differ from the expected ones
    std::vector<std::string> warnings;  ///< of the sanitizer
    std::string fault;                  ///< of the guest program; empty: none
    std::string error;                  ///< a wrong file or setting; empty: none
    bool is_bug = false;                ///< `error` is a bug of okksim
};

/// Runs a task in this process.
GateOutcome run_task(const GateTask& task);

/// Runs tasks in `jobs` child processes and returns their outcomes in order. `progress` is called
/// after each. A task has no outcome if a stop request came before it ended.
std::vector<std::optional<GateOutcome>> run_tasks(
    const std::vector<GateTask>& tasks, int jobs,
    const std::function<void(std::size_t done, std::size_t all)>& progress);

}  // namespace okksim::sim::gate
