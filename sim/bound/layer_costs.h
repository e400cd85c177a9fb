// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "kernels/layers/layer_plan.h"
#include "sim/bound/least_port.h"
#include "sim/planning/plan.h"

namespace okksim::sim::bound {

/// A group cut into slices, without addresses in local memory.
struct CutGroup {
    const planning::BoundLayers& bound;
    kernels::layers::LayerPlan plan;
};

/// Lower bounds for works and transfers of one block's layer groups. Equal items are priced once.
class LayerCosts {
 public:
    /// The host must outlive the object.
    explicit LayerCosts(pricing::MachineHost& host);

    LeastWork of(const CutGroup& group, const kernels::layers::LayerWork& work);
    LeastWork of(const CutGroup& group, const kernels::layers::LayerTransfer& transfer);
    /// Returns the load of the packed constants in section 0 or section 1.
    LeastWork of_packed(const CutGroup& group, std::size_t section);

 private:
    /// Everything that the commands depend on.
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
