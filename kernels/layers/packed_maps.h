// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/layers/layer_plan.h"

/// Parts of layers, where those of packed maps lie, and copies of them.
namespace okksim::kernels::layers {

/// Strides, in elements, of the aligned layout of a layer's packed elements.
dim4 packed_strides(const Layer& layer, const dim4& shape, const Lanes& lanes);

/// Where a work's channels of a map begin; of all images, or of its own.
local_addr_t channels_at(const LayerPlan& plan, int part, const Layer& layer, const dim4& shape,
                         const LayerWork& work);

/// What a work makes of any layer's result: all, an image's channels, or some elements of one slot
/// of them.
dim4 part_of_result(const Layer& layer, const LayerWork& work);

/// A convolution's results for a piece of the channels of all images, which have a place beside the
/// map (LayerWork::scratch); without channels where commands write into the map.
dim4 piece_beside(const Layer& layer, const LayerWork& work);
/// Firmware: brings them to their place in the map.
void place_piece(const LayerPlan& plan, const Layer& layer, const LayerWork& work,
                 const dim4& piece);

/// Firmware: kPackedConcat, kPackedCrop.
void concatenate_packed(const LayerCall& call, const LayerPlan& plan, const Layer& layer);
void crop_packed(const LayerPlan& plan, const Layer& layer);

}  // namespace okksim::kernels::layers
