// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "kernels/layers/layer_plan.h"
#include "sim/bound/least_port.h"
#include "sim/planning/plan.h"

namespace okksim::sim::bound {

/// A group in slices, whose maps have no places in local memory.
struct CutGroup {
    const planning::BoundLayers& bound;
    kernels::layers::LayerPlan plan;
};

/// What works and transfers of layer groups of one block take at least; equal ones are priced once.
class LayerCosts {
 public:
    /// The host must outlive this.
    explicit LayerCosts(pricing::MachineHost& host);

    LeastWork of(const CutGroup& group, const kernels::layers::LayerWork& work);
    LeastWork of(const CutGroup& group, const kernels::layers::LayerTransfer& transfer);
    /// Of the packed constants in the first section, or in the second one.
    LeastWork of_packed(const CutGroup& group, std::size_t section);

 private:
    /// All that the commands depend on.
    using Key = std::vector<std::int64_t>;

    LeastWork priced(Key key, const kernels::Firmware& firmware);
    LeastWork with_channel_of_zeros(LeastWork work, const kernels::layers::Layer& layer,
                                    const kernels::layers::LayerWork& which) const;

    pricing::MachineHost& host_;
    EngineTimes times_;
    LeastPrices prices_;
    std::map<Key, LeastWork> known_;
};

}  // namespace okksim::sim::bound
