// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/layers/layer_prices.h"

/// Merges consecutive sections that do not need to be separate. Neither engine of the second
/// section needs data or memory of the other engine in the first. In a merged section both engines
/// run without waiting for each other. A longer transfer in one part can then overlap a longer work
/// in another.
namespace okksim::kernels::layers {

/// Planner: merges sections of a plan if that reduces waiting. Returns the sum of the times of the
/// resulting sections.
Duration merge_sections(const LayerCall& call, LayerPlan& plan, LayerPrices& prices);

}  // namespace okksim::kernels::layers
