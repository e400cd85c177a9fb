// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/layers/layer_plan.h"
#include "sim/machine/machine.h"
#include "sim/planning/operator_times.h"
#include "sim/planning/plan.h"
#include "sim/planning/search_budget.h"

namespace okksim::sim::planning {

/// Which cuts of runs of operators into groups and slices are priced.
enum class CutSearch : std::uint8_t {
    kWhereNeeded,  ///< where the maps of many operators do not fit as a whole
    kAll,          ///< also where they do
    kThorough      ///< more ends of groups, numbers of slices and sizes of parts
};

/// Layer groups that are faster on the machine than their operators in kernels of their own: runs
/// of operators that can be layers, cut where local memory does not hold what lives at the same
/// time, or, with all cuts, where cuts are faster. `plan` is that of the graph without them,
/// in which its operators take the `times`. Every candidate is the budget's. With `halvings` groups
/// have that part of local memory, as smaller machines would.
std::vector<LayerGroup> choose_layer_groups(const graph::Graph& graph, const GraphPlan& plan,
                                            const Machine& machine, const OperatorTimes& times,
                                            CutSearch search, SearchBudget& budget,
                                            int halvings = 0);

/// Parts of local memory that groups are tried with: down to an eighth.
inline constexpr int kMostHalvings = 3;

/// A group that somebody has chosen already.
struct ChosenLayers {
    tosa::BlockReference place;            ///< of its block
    std::vector<std::uint32_t> operators;  ///< positions in Block::operators
    kernels::layers::SliceCounts slices;
    kernels::layers::LayerSearch search = kernels::layers::LayerSearch::kFastest;
    /// Begins with a copy of its first operand that lies channel first, or not; nothing: as is
    /// faster.
    std::optional<bool> takes_copy = std::nullopt;
    int halvings = 0;  ///< LayerPlan's
};

/// The group of the choice, planned for the machine; nothing when its operators cannot be one, or
/// local memory does not hold them so. `plan` and `times` as for choose_layer_groups().
std::vector<std::optional<LayerGroup>> plan_layer_groups(const graph::Graph& graph,
                                                         const GraphPlan& plan,
                                                         const Machine& machine,
                                                         const OperatorTimes& times,
                                                         std::span<const ChosenLayers> choices);

/// The choice that a group stands for.
ChosenLayers choice_of(const LayerGroup& group);

}  // namespace okksim::sim::planning
