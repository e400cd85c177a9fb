// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/layers/layer_plan.h"

/// Parts of layers: addresses in packed feature maps, and copies.
namespace okksim::kernels::layers {

/// Strides, in elements, of the aligned layout of a layer's packed elements.
dim4 packed_strides(const Layer& layer, const dim4& shape, const Lanes& lanes);

/// Address of a work's channels in a feature map, of all images or of the image of the work.
local_addr_t channels_at(const LayerPlan& plan, int part, const Layer& layer, const dim4& shape,
                         const LayerWork& work);

/// Shape of a work's result: all, an image's channels, or some elements of one slot.
dim4 part_of_result(const Layer& layer, const LayerWork& work);

/// Shape of a convolution's results for a piece of the channels of all images, which are written to
/// LayerWork::scratch. It has no channels if commands write into the feature map.
dim4 piece_beside(const Layer& layer, const LayerWork& work);
/// Firmware: copies such a piece into the feature map.
void place_piece(const LayerPlan& plan, const Layer& layer, const LayerWork& work,
                 const dim4& piece);

/// Firmware: kPackedConcat, kPackedCrop.
void concatenate_packed(const LayerCall& call, const LayerPlan& plan, const Layer& layer);
void crop_packed(const LayerPlan& plan, const Layer& layer);

}  // namespace okksim::kernels::layers
