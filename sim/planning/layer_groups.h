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

namespace okksim::sim::planning {

/// Layer groups that are faster on the machine than their operators in kernels of their own: runs
/// of operators that can be layers, cut where local memory does not hold what lives at the same
/// time, or, with `all_cuts`, where cuts are faster. `plan` is that of the graph without them,
/// in which its operators take the `times`.
std::vector<LayerGroup> choose_layer_groups(const graph::Graph& graph, const GraphPlan& plan,
                                            const Machine& machine, const OperatorTimes& times,
                                            bool all_cuts);

/// A group that somebody has chosen already.
struct ChosenLayers {
    tosa::BlockReference place;            ///< of its block
    std::vector<std::uint32_t> operators;  ///< positions in Block::operators
    kernels::layers::SliceCounts slices;
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
