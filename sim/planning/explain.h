// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/planning/plan.h"

namespace okksim::sim::planning {

/// A way to run the operators of a step.
struct Alternative {
    std::string what;
    std::optional<double> microseconds;  ///< from idle; none if impossible or unknown
    bool chosen = false;
    std::string note;  ///< the reason why it has no time, or was not chosen
};

/// The reasons for the way in which an operator runs.
struct Explanation {
    std::string name;                       ///< "CONV2D features (net.mlir:12:5)"
    std::string step;                       ///< kernel of its step
    std::size_t operators = 1;              ///< number of operators in the step
    std::vector<Alternative> alternatives;  ///< for all operators of the step
};

/// Explains the operator with the given output name or position in the file. `plan` is the graph's
/// plan for the machine. Throws ConfigError with the nearest name if there is no such operator.
Explanation explain(const graph::Graph& graph, const Machine& machine, const GraphPlan& plan,
                    const std::string& which);

}  // namespace okksim::sim::planning
