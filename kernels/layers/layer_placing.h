// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "kernels/layers/layer_slices.h"
#include "kernels/layers/layer_works.h"

namespace okksim::kernels::layers {

/// Planner: parts, places and transfers of a group's layers with these sizes of parts; nothing
/// where local memory does not hold what lives at the same time. Convolutions are unfolded where
/// that is faster and fits.
std::optional<LayerPlan> place_layers(const LayerCall& call, const SlicedLayers& layers,
                                      const PartLimits& limits, Host& host);

}  // namespace okksim::kernels::layers
