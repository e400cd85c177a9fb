// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/common/units.h"
#include "sim/bound/engine_need.h"

namespace okksim::sim::bound {

/// What a step of a plan, or several, take at least in one of the ways in which they can be carried
/// out. Engines do nothing of a step before those of the step before it are idle.
struct StepNeed {
    models::Picoseconds engines;  ///< from its first command's begin to its last one's end
    /// From the launch's begin to the end of its last command, where it is the first step.
    models::Picoseconds end_as_first;
    IssueNeed begin;  ///< up to its first command
    IssueNeed issue;
    models::Picoseconds last_command;  ///< what its last command takes
};

/// Without those that are no better in any respect than another one.
void drop_worse(std::vector<StepNeed>& needs);

}  // namespace okksim::sim::bound
