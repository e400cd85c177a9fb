// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "sim/planning/plan.h"

namespace okksim::sim::report {

/// The steps of a plan: an object each, as `okksim plan --json` and Python show them.
nlohmann::ordered_json plan_steps_json(const std::vector<planning::StepCost>& steps);

}  // namespace okksim::sim::report
