// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/layers/layer_prices.h"

/// Convolutions of maps of few channels as such of many: the rows of a window become channels, so
/// that the array does not wait for pixels. Input channel ky * channels + c of row o is channel c
/// at tap ky of output row o. The data mover lays a map out like that on its way to local memory:
/// one command per row of the window.
namespace okksim::kernels::layers {

/// Planner: unfolds those convolutions of fp32 maps in system memory that are faster so, loads
/// included. Their parts and layers change; constants have no places yet.
void unfold_layers(const LayerCall& call, LayerPlan& plan, LayerPrices& prices);

/// Firmware: loads an unfolded part; rows outside of the map are zeros.
void load_unfolded(const LayerCall& call, const MapPart& part, const Lanes& lanes, local_addr_t to);

}  // namespace okksim::kernels::layers
