// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/planning/plan.h"

namespace okksim::sim::planning {

/// Times of a block's steps that run one after another on an idle machine. Commands of a step are
/// issued while earlier ones are in flight. Steps that depend on control flow, states or run-time
/// values are left out.
struct BlockTime {
    /// Microseconds from the start until the commands of a step and of all earlier ones are done,
    /// by step of the BlockPlan.
    std::vector<double> ends;
    double microseconds = 0;  ///< of the whole block
};

/// Returns the times of a block. Returns no value if a command is invalid. Uses the plan's
/// decisions and costs.
std::optional<BlockTime> time_block(const graph::Graph& graph, const GraphPlan& plan,
                                    tosa::BlockReference reference, const Machine& machine);

/// Returns BlockTime::microseconds.
std::optional<double> block_microseconds(const graph::Graph& graph, const GraphPlan& plan,
                                         tosa::BlockReference reference, const Machine& machine);

}  // namespace okksim::sim::planning
