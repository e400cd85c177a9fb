// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "sim/planning/machine_plan.h"

namespace okksim::sim::planning {

/// A plan from a folder of stored ones, or a new one that is stored there.
struct CachedPlan {
    GraphPlan plan;
    SearchSpent spent;  ///< when it was searched for
    bool is_new = true;
    /// What was said of the folder's document where it could not be used, and of a folder that
    /// takes none; empty otherwise. The plan is right all the same.
    std::string note;
};

/// Plans are kept by what they depend on: operators, shapes and types of the graph, its constants
/// (a sample of their bytes), the machine, the effort and the version of the program. A document
/// holds choices alone and is checked as any stored plan: it is planned anew where it is for
/// something else, or its steps would take something else. What a search that seconds have cut has
/// found is not stored. Errors as plan_for_machine().
CachedPlan cached_plan(const graph::Graph& graph, const Machine& machine, const PlanEffort& effort,
                       const std::filesystem::path& folder);

}  // namespace okksim::sim::planning
