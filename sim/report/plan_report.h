// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/planning/plan.h"

namespace okksim::sim::report {

/// The steps of a plan: an object each, as `okksim plan --json` and Python show them.
nlohmann::ordered_json plan_steps_json(const std::vector<planning::StepCost>& steps);

/// A plan for a machine as a document: its memory and steps, and the choices that
/// planning::StoredPlan reads.
nlohmann::ordered_json plan_json(const graph::Graph& graph, const planning::GraphPlan& plan,
                                 const Machine& machine);

}  // namespace okksim::sim::report
