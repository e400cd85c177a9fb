// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/gate/case_comparison.h"
#include "sim/study/gate/gate_file.h"
#include "sim/study/gate/workload_runs.h"

namespace okksim::sim::gate {

/// Judges outcomes by the limits of their tasks, and by the records of the folder `base` if it is
/// set. Outcomes are in the order of `tasks`; tasks without one are left out of the result.
std::vector<CaseComparison> judge_tasks(const std::vector<GateTask>& tasks,
                                        const std::vector<std::optional<GateOutcome>>& outcomes,
                                        const std::optional<std::filesystem::path>& base);

/// Returns records of the folder that belong to no task of the gate, as missing cases.
std::vector<CaseComparison> missing_tasks(const GateFile& gate, const std::filesystem::path& base);

/// Writes the records of tasks without a fault and with right results. Returns their number.
std::size_t write_baseline(const std::vector<std::optional<GateOutcome>>& outcomes,
                           const std::filesystem::path& folder);

/// Reports of `okksim gate`.
std::string gate_text(const std::vector<CaseComparison>& cases, double threshold);
std::string gate_markdown(const std::vector<CaseComparison>& cases, double threshold);

}  // namespace okksim::sim::gate
