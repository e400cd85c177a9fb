// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/planning/plan.h"

namespace okksim::sim::planning {

/// A way to carry out the operators of a step.
struct Alternative {
    std::string what;
    std::optional<double> microseconds;  ///< from idle; nothing: it cannot be, or nobody knows
    bool chosen = false;
    std::string note;  ///< why there is no time, or why it was not chosen
};

/// Why an operator runs as it does.
struct Explanation {
    std::string name;                       ///< "CONV2D features (net.mlir:12:5)"
    std::string step;                       ///< kernel of its step
    std::size_t operators = 1;              ///< that the step carries out
    std::vector<Alternative> alternatives;  ///< for all operators of the step
};

/// Of the operator whose output has the name, or whose position in the file is the number. `plan`
/// is the graph's for the machine. ConfigError when there is none, with the nearest name.
Explanation explain(const graph::Graph& graph, const Machine& machine, const GraphPlan& plan,
                    const std::string& which);

}  // namespace okksim::sim::planning
