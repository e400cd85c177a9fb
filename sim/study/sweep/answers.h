// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/study/sweep/machine_rows.h"

namespace okksim::sim::sweep {

/// Returns the answers of a sweep as text. It begins with workloads and machines that are left out
/// and with main_answers(). Tables follow (level_lines.h, effects.h, value_steps.h).
std::string answers_text(const PointTable& table);

/// Returns the most useful answers as sentences: the best machine, the best within a budget, the
/// knee, which axes matter, and what an axis buys.
std::vector<std::string> main_answers(const PointTable& table, const std::vector<MachineRow>& rows);

}  // namespace okksim::sim::sweep
