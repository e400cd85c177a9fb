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

/// Results of a search over limits so far.
struct TriedLimits {
    /// Parts and other effects of limits: different sizes often give the same ones.
    std::set<std::vector<std::int32_t>> choices;
    /// Time of the fastest plan so far, or a limit. A slower plan is not of interest.
    Duration least = Duration::max();
    /// Local memory holds a plan, or no slices of the group can be faster than `least`.
    bool fits = false;
};

/// Planner: parts, addresses and transfers of a group's layers for these sizes of parts. Unfolds
/// convolutions if that is faster and fits. Adds what it tries to `tried`.
///
/// Returns nothing in three cases. Local memory cannot hold all simultaneous allocations. The
/// limits lead to choices that were already tried. Or the sections would take longer than the
/// fastest plan so far, by more than the allowance for overlap between sections.
std::optional<LayerPlan> place_layers(const LayerCall& call, const SlicedLayers& layers,
                                      const PartLimits& limits, LayerPrices& prices,
                                      TriedLimits& tried);

}  // namespace okksim::kernels::layers
