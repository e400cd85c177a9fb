// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/layers/layer_prices.h"

/// Sections one after the other that could as well be one: neither engine of the second needs what
/// the other one does in the first, nor its place. In one section both engines go on without
/// waiting for each other in between, so that what is longer in one makes up for what is longer in
/// the other.
namespace okksim::kernels::layers {

/// Planner: puts sections of a plan together where engines wait less so; returns what all of them
/// take then, one after the other.
Duration merge_sections(const LayerCall& call, LayerPlan& plan, LayerPrices& prices);

}  // namespace okksim::kernels::layers
