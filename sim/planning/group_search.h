// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/layers/layer_plan.h"
#include "sim/planning/search_budget.h"

namespace okksim::sim::planning {

/// The cuts of operator runs into groups and slices that are priced.
enum class CutSearch : std::uint8_t {
    kWhereNeeded,  ///< only if the feature maps of many operators do not fit as a whole
    kAll,          ///< also if they fit
    kThorough      ///< also more group ends, slice counts and part sizes
};

/// Limits of a search for groups. `budget` must outlive the search.
struct GroupSearch {
    CutSearch cuts = CutSearch::kWhereNeeded;
    int halvings = 0;  ///< of local memory
    SearchBudget* budget = nullptr;
};

/// A group that has been chosen before.
struct ChosenLayers {
    tosa::BlockReference place;            ///< of its block
    std::vector<std::uint32_t> operators;  ///< positions in Block::operators
    kernels::layers::SliceCounts slices;
    kernels::layers::LayerSearch search = kernels::layers::LayerSearch::kFastest;
    /// True if the group begins with a channel-first copy of its first operand, false if not.
    /// Without a value the faster variant is taken.
    std::optional<bool> takes_copy = std::nullopt;
    int halvings = 0;  ///< LayerPlan::halvings
};

}  // namespace okksim::sim::planning
