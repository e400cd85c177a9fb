// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernels/layers/layer_plan.h"

/// Groups whose maps local memory does not hold at the same time are cut into slices of images and
/// rows: one slice after the other passes all layers. Rows that windows of two slices read are
/// loaded or computed twice. Pure.
namespace okksim::kernels::layers {

struct SlicedLayers {
    SliceCounts counts;
    std::vector<MapPart> parts;
    std::vector<Layer> layers;
};

/// Planner: layers on values (`whole`) as layers on parts of them, slice after slice. Layers that
/// read fewer rows of a map than others get a copy of those rows. Nothing where a slice of a layer
/// would read nothing but zeros.
std::optional<SlicedLayers> cut_layers(const LayerCall& call, std::span<const Layer> whole,
                                       const SliceCounts& counts);

/// The shape (n, c, h, w) of a part, and where it begins in system memory.
dim4 part_shape(const LayerCall& call, const MapPart& part);
/// Its shape in local memory: another one where it is unfolded.
dim4 local_shape(const LayerCall& call, const MapPart& part);
std::uint64_t part_address(const LayerCall& call, const MapPart& part);
/// Bytes that it takes in every lane.
std::int64_t part_bytes(const LayerCall& call, const MapPart& part, const Lanes& lanes);
/// In the form in which system memory has the value.
bool is_in_memory(const LayerCall& call, const MapPart& part);

}  // namespace okksim::kernels::layers
