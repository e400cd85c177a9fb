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

/// A plan of layers under construction. Each work has a separate section. Transfers are in these
/// sections, in one section before them and in one after them.
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
    /// True for weights that are loaded in pieces, not packed with all constants.
    bool loads_weights(const LayerWork& work) const;

    Duration compute_time(const LayerWork& work);
    Duration transfer_time(const LayerTransfer& transfer);
    /// Prices all works, which have no time yet.
    void price_works();
    /// Prices a work again after the addresses of its operands have changed.
    void price_work(std::size_t index);
    /// Sum of the times of all works on the compute engine.
    Duration sum_of_works() const;
    /// Sum of the times of all sections. Within a section the engines overlap.
    Duration sum_of_sections() const;

    const LayerCall& call;
    LayerPrices& prices;
    PartLimits limits;
    LayerPlan plan;
    std::optional<LocalRoom> room;  ///< free for pieces of weights
    SectionTimes times;
    std::vector<PlacedTransfer> transfers;

 private:
    /// Time per section of the works on the compute engine and on the GDMA. The latter is part of
    /// times.transfer.
    std::vector<Duration> computed_, moved_;
};

}  // namespace okksim::kernels::layers
