// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/study/sweep/point_table.h"

namespace okksim::sim::sweep {

/// Returns the answers of a sweep as text: Pareto front, levels (level_lines.h), effects
/// (effects.h) and steps of values (value_steps.h).
std::string answers_text(const PointTable& table);

}  // namespace okksim::sim::sweep
