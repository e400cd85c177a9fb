// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernels/layers/layer_plan.h"

/// Cuts a group into slices of images and rows if local memory cannot hold its feature maps at the
/// same time. Each slice passes all layers before the next one. Rows that windows of two slices
/// read are loaded or computed twice. Pure.
namespace okksim::kernels::layers {

struct SlicedLayers {
    SliceCounts counts;
    std::vector<MapPart> parts;
    std::vector<Layer> layers;
};

/// Planner: turns layers on values (`whole`) into layers on parts of them, slice after slice. A
/// layer that reads fewer rows of a feature map than others gets a copy of those rows. Returns
/// nothing if a slice of a layer would read only zeros.
std::optional<SlicedLayers> cut_layers(const LayerCall& call, std::span<const Layer> whole,
                                       const SliceCounts& counts);

/// The shape (n, c, h, w) of a part, and its address in system memory.
dim4 part_shape(const LayerCall& call, const MapPart& part);
/// The shape of a part in local memory, which differs if the part is unfolded.
dim4 local_shape(const LayerCall& call, const MapPart& part);
std::uint64_t part_address(const LayerCall& call, const MapPart& part);
/// Bytes of a part in every lane.
std::int64_t part_bytes(const LayerCall& call, const MapPart& part, const Lanes& lanes);
/// True if a part has the element format that the value has in system memory.
bool is_in_memory(const LayerCall& call, const MapPart& part);

}  // namespace okksim::kernels::layers
