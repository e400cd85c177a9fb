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

/// Lower bounds for operators of a block as fp32 layer groups (kernels/layers). Slices are those of
/// the planner, in any number; constants are packed or loaded in pieces. Works run in order, each
/// in a separate section. The bound assumes that local memory holds everything and that no two
/// operands share a bank.
class GroupNeeds {
 public:
    /// Both must outlive the object.
    GroupNeeds(const graph::Block& block, pricing::MachineHost& host);

    /// Returns the needs of consecutive operators for every number of slices and every choice of
    /// constants. Omits dominated ones and those whose engines need `most` or longer. Returns an
    /// empty list if the operators cannot form a group. `row_major` lists the inputs and outputs
    /// that are row major; all others are channel first.
    std::vector<StepNeed> of(const std::vector<std::uint32_t>& operators,
                             const std::set<graph::TensorIndex>& row_major,
                             models::Picoseconds most);

 private:
    struct Group {
        planning::BoundLayers bound;
        std::vector<kernels::layers::Layer> layers;  ///< on whole values; empty: no valid group
    };
    /// The works and all transfers except those of the packed constants.
    struct Draft {
        Pipeline pipeline;
        std::vector<kernels::layers::LayerWork> works;
        std::int64_t commands = 0, transfers = 0;
        models::Picoseconds last_store;

        /// Adds a transfer that `work` is the first to wait for. `issue` is the issue time of its
        /// commands.
        void add_load(std::size_t work, const LeastWork& load, models::Picoseconds issue);
    };

    Group group_of(const std::vector<std::uint32_t>& operators,
                   const std::set<graph::TensorIndex>& row_major) const;
    /// Returns false if no more slices are possible.
    bool add_cut(const Group& group, const kernels::layers::SliceCounts& counts,
                 std::vector<StepNeed>& needs);
    void add_constants(CutGroup& cut, std::vector<StepNeed>& needs);
    Draft draft_of(const CutGroup& cut, std::vector<kernels::layers::LayerWork> works);
    void add_maps(const CutGroup& cut, Draft& draft);
    void add_weights(const CutGroup& cut, Draft& draft);
    /// Loads the packed constants with one command, or with two. Returns no value if there cannot
    /// be two.
    std::optional<StepNeed> need_of(CutGroup& cut, Draft draft, bool at_once);
    StepNeed need_of(CutGroup& cut, const Draft& draft, std::int64_t packed_loads);
    /// Returns the time to issue the commands, including the firmware's own computing for them.
    models::Picoseconds issue_of(const LeastWork& work, kernels::OwnWork own) const;
    /// Returns the time that the GDMA needs to load and store the group's feature maps.
    models::Picoseconds time_of_maps(const CutGroup& cut);

    const graph::Block& block_;
    pricing::MachineHost& host_;
    planning::ValueUses uses_;
    EngineTimes times_;
    LayerCosts costs_;
    kernels::layers::LayerPrices prices_;  ///< for choices that the planner makes
    models::Picoseconds most_;
};

}  // namespace okksim::sim::bound
