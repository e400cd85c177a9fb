// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/layer_draft.h"

#include <algorithm>
#include <numeric>

#include "kernels/layers/layer_slices.h"

namespace okksim::kernels::layers {

std::int64_t LayerDraft::map_bytes(int part) const {
    return part_bytes(call, plan.parts[static_cast<std::size_t>(part)], plan.lanes);
}

bool LayerDraft::loads_weights(const LayerWork& work) const {
    const auto at = static_cast<std::size_t>(work.layer);
    return is_convolution(plan.layers[at].kind) && !plan.places[at].packed_weights;
}

Duration LayerDraft::compute_time(const LayerWork& work) {
    return prices.of(call, plan, work).of(isa::Engine::kBdc);
}

Duration LayerDraft::transfer_time(const LayerTransfer& transfer) {
    return prices.of(call, plan, transfer);
}

void LayerDraft::price_works() {
    const auto sections = static_cast<std::size_t>(last_section()) + 1;
    times.compute.assign(sections, Duration{});
    computed_.assign(sections, Duration{});
    moved_.resize(sections, Duration{});
    times.transfer.resize(sections, Duration{});
    for (std::size_t i = 0; i < plan.works.size(); ++i) price_work(i);
}

void LayerDraft::price_work(std::size_t index) {
    const Work work = prices.of(call, plan, plan.works[index]);
    constexpr int kEighths = 8;
    const Duration time = std::max(work.of(isa::Engine::kBdc), work.processor);
    computed_[index + 1] = work.of(isa::Engine::kBdc);
    // A work may also use the GDMA, to move channels between lanes.
    Duration& moved = moved_[index + 1];
    times.transfer[index + 1] += work.of(isa::Engine::kGdma) - moved;
    moved = work.of(isa::Engine::kGdma);
    times.compute[index + 1] = time * (kEighths + limits.eagerness) / kEighths;
}

Duration LayerDraft::sum_of_works() const {
    return std::accumulate(computed_.begin(), computed_.end(), Duration{});
}

Duration LayerDraft::sum_of_sections() const {
    Duration sum{};
    for (std::size_t i = 0; i < computed_.size(); ++i) {
        sum += std::max(computed_[i], times.transfer[i]);
    }
    return sum;
}

}  // namespace okksim::kernels::layers
