// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/layers/layer_prices.h"
#include "kernels/layers/layer_schedule.h"
#include "kernels/layers/layer_works.h"
#include "kernels/planning/local_room.h"

namespace okksim::kernels::layers {

/// A transfer and its section.
struct PlacedTransfer {
    int section = 0;
    LayerTransfer transfer;
};

/// A plan of layers while it is made: each work has a section of its own, transfers lie in them and
/// in one before and one after.
class LayerDraft {
 public:
    /// Both must outlive this.
    LayerDraft(const LayerCall& call, LayerPrices& prices, const PartLimits& limits)
        : call(call), prices(prices), limits(limits) {}

    static int section_of(std::size_t work) { return static_cast<int>(work) + 1; }
    int last_section() const { return section_of(plan.works.size()); }
    const Layer& layer_of(const LayerWork& work) const {
        return plan.layers[static_cast<std::size_t>(work.layer)];
    }

    const isa::MachineShape& machine() const { return prices.host().machine(); }
    std::int64_t bank_bytes() const { return machine().local_bytes / machine().local_banks; }
    std::int64_t map_bytes(int part) const;
    /// Weights that come in pieces, not packed with all constants.
    bool loads_weights(const LayerWork& work) const;

    Duration compute_time(const LayerWork& work);
    Duration transfer_time(const LayerTransfer& transfer);
    /// Of all works, which have no time yet.
    void price_works();
    /// Anew where a work's operands have other places.
    void price_work(std::size_t index);
    /// Of all sections one after the other, the engines side by side.
    Duration sum_of_sections() const;

    const LayerCall& call;
    LayerPrices& prices;
    PartLimits limits;
    LayerPlan plan;
    std::optional<LocalRoom> room;  ///< what maps, scratch and pieces of weights leave
    SectionTimes times;
    std::vector<PlacedTransfer> transfers;

 private:
    /// What works take in each section of the compute engine, and of the data mover, which is part
    /// of times.transfer.
    std::vector<Duration> computed_, moved_;
};

}  // namespace okksim::kernels::layers
