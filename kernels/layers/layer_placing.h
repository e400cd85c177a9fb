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

/// Parts of a group's layers that were placed before: other limits often give the same ones.
using TriedParts = std::set<std::vector<std::int32_t>>;

/// Planner: parts, places and transfers of a group's layers with these sizes of parts; nothing
/// where local memory does not hold what lives at the same time, or where the parts and what else
/// the limits say were tried before; notes them. Convolutions are unfolded where that is faster and
/// fits.
std::optional<LayerPlan> place_layers(const LayerCall& call, const SlicedLayers& layers,
                                      const PartLimits& limits, LayerPrices& prices,
                                      TriedParts& tried);

}  // namespace okksim::kernels::layers
