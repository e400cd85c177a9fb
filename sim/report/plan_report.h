// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/planning/plan.h"

namespace okksim::sim::report {

/// Returns an object per step of a plan, for `okksim plan --json` and Python.
nlohmann::ordered_json plan_steps_json(const std::vector<planning::StepCost>& steps);

/// Returns a plan for a machine: its memory, its steps, and the choices that planning::StoredPlan
/// reads.
nlohmann::ordered_json plan_json(const graph::Graph& graph, const planning::GraphPlan& plan,
                                 const Machine& machine);

}  // namespace okksim::sim::report
