// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "sim/planning/machine_plan.h"

namespace okksim::sim::planning {

/// A plan from a folder of stored plans, or a new one that is stored there.
struct CachedPlan {
    GraphPlan plan;
    SearchSpent spent;  ///< effort of the search that found it
    bool is_new = true;
    /// The reason why a stored document was not used, or why the plan could not be stored;
    /// otherwise empty. The plan is valid in any case.
    std::string note;
};

/// Returns a stored or new plan. Plans are stored by operators, shapes and types, a sample of the
/// constants' bytes, machine, effort and program version. A document only holds choices and is
/// checked like any stored plan. It is replaced if it is for something else or if the steps' times
/// differ. The result of a search that was ended by its time limit is not stored. Throws the errors
/// of plan_for_machine().
CachedPlan cached_plan(const graph::Graph& graph, const Machine& machine, const PlanEffort& effort,
                       const std::filesystem::path& folder);

}  // namespace okksim::sim::planning
