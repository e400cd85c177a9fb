// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/common/units.h"
#include "sim/bound/engine_need.h"

namespace okksim::sim::bound {

/// Lower bounds for one or several steps of a plan, in one of the possible variants. The engines
/// start a step only when they have finished the previous one.
struct StepNeed {
    models::Picoseconds engines;  ///< from its first command's start to its last one's end
    /// Time from the launch's start to the end of its last command, if it is the first step.
    models::Picoseconds end_as_first;
    IssueNeed begin;  ///< up to its first command
    IssueNeed issue;
    models::Picoseconds last_command;  ///< time of its last command
};

/// Removes the needs that are no better in any respect than another one.
void drop_worse(std::vector<StepNeed>& needs);

}  // namespace okksim::sim::bound
