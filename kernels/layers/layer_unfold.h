// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/layers/layer_prices.h"

/// Turns convolutions of few channels into convolutions of many: the rows of the window become
/// channels, so that the array does not wait for pixels. Input channel ky * channels + c of row o
/// is channel c at tap ky of output row o. The GDMA writes this layout when it loads the feature
/// map, with one command per row of the window.
namespace okksim::kernels::layers {

/// Planner: unfolds those convolutions of fp32 inputs in system memory that become faster, loads
/// included. Changes their parts and layers. Addresses of constants are not yet assigned.
void unfold_layers(const LayerCall& call, LayerPlan& plan, LayerPrices& prices);

}  // namespace okksim::kernels::layers
