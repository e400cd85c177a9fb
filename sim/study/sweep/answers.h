// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/study/sweep/machine_rows.h"

namespace okksim::sim::sweep {

/// Returns the answers of a sweep as text: what is left out, the main answers, Pareto front, levels
/// (level_lines.h), workloads, effects (effects.h) and steps of values (value_steps.h).
std::string answers_text(const PointTable& table);

/// Returns the most useful answers as sentences: the best machine, the best within a budget, the
/// knee, which axes matter, and what an axis buys.
std::vector<std::string> main_answers(const PointTable& table, const std::vector<MachineRow>& rows);

}  // namespace okksim::sim::sweep
