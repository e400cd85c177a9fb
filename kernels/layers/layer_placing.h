// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "kernels/layers/layer_prices.h"
#include "kernels/layers/layer_slices.h"
#include "kernels/layers/layer_works.h"

namespace okksim::kernels::layers {

/// What a search over limits has placed before.
struct TriedLimits {
    /// Parts and what else limits say: other sizes often give the same ones.
    std::set<std::vector<std::int32_t>> choices;
    /// Of the fastest plan, which a slower one cannot replace.
    Duration least = Duration::max();
};

/// Planner: parts, places and transfers of a group's layers with these sizes of parts; nothing
/// where local memory does not hold what lives at the same time, where the parts and what else the
/// limits say were tried before, or where sections would take longer than the fastest plan so far
/// by more than what engines lose to each other; notes what it tries. Convolutions are unfolded
/// where that is faster and fits.
std::optional<LayerPlan> place_layers(const LayerCall& call, const SlicedLayers& layers,
                                      const PartLimits& limits, LayerPrices& prices,
                                      TriedLimits& tried);

}  // namespace okksim::kernels::layers
