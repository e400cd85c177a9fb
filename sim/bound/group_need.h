// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "kernels/call/computing.h"
#include "kernels/layers/layer_prices.h"
#include "kernels/layers/layer_slices.h"
#include "sim/bound/layer_costs.h"
#include "sim/bound/pipeline_end.h"
#include "sim/bound/step_need.h"
#include "sim/graph/graph.h"
#include "sim/planning/value_uses.h"

namespace okksim::sim::bound {

/// What operators of a block take as layer groups of fp32 (kernels/layers): slices as the planner
/// cuts them, in any number; constants that are packed or come in pieces; works in their order, a
/// section for each. Local memory holds everything, and no two operands share a bank.
class GroupNeeds {
 public:
    /// All must outlive it.
    GroupNeeds(const graph::Block& block, pricing::MachineHost& host);

    /// Of operators one after the other, for every number of slices and every choice of constants,
    /// but for those that others are better than in all respects, and for those whose engines take
    /// `most` or longer; nothing where they cannot be a group. `row_major`: values that are given
    /// or wanted row major, others channel first.
    std::vector<StepNeed> of(const std::vector<std::uint32_t>& operators,
                             const std::set<graph::TensorIndex>& row_major,
                             models::Picoseconds most);

 private:
    struct Group {
        planning::BoundLayers bound;
        std::vector<kernels::layers::Layer> layers;  ///< on values; none: it cannot be one
    };
    /// Works with all but packed constants.
    struct Draft {
        Pipeline pipeline;
        std::vector<kernels::layers::LayerWork> works;
        std::int64_t commands = 0, transfers = 0;
        models::Picoseconds last_store;

        /// Something that a work is the first to wait for; `issue`: its commands'.
        void add_load(std::size_t work, const LeastWork& load, models::Picoseconds issue);
    };

    Group group_of(const std::vector<std::uint32_t>& operators,
                   const std::set<graph::TensorIndex>& row_major) const;
    /// False where no more slices are possible.
    bool add_cut(const Group& group, const kernels::layers::SliceCounts& counts,
                 std::vector<StepNeed>& needs);
    void add_constants(CutGroup& cut, std::vector<StepNeed>& needs);
    Draft draft_of(const CutGroup& cut, std::vector<kernels::layers::LayerWork> works);
    void add_maps(const CutGroup& cut, Draft& draft);
    void add_weights(const CutGroup& cut, Draft& draft);
    /// With the packed constants in one command, or in two; nothing where there are no two.
    std::optional<StepNeed> need_of(CutGroup& cut, Draft draft, bool at_once);
    StepNeed need_of(CutGroup& cut, const Draft& draft, std::int64_t packed_loads);
    /// What commands take to be brought to their engine, with what firmware computes for them.
    models::Picoseconds issue_of(const LeastWork& work, kernels::OwnWork own) const;
    /// All that the data mover does for maps.
    models::Picoseconds time_of_maps(const CutGroup& cut);

    const graph::Block& block_;
    pricing::MachineHost& host_;
    planning::ValueUses uses_;
    EngineTimes times_;
    LayerCosts costs_;
    kernels::layers::LayerPrices prices_;  ///< as the planner asks for them
    models::Picoseconds most_;
};

}  // namespace okksim::sim::bound
