// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/packed_maps.h"

#include "firmware/okk_features.h"
#include "isa/base/errors.h"
#include "kernels/layers/layer_slices.h"

namespace okksim::kernels::layers {
namespace {

/// Copies elements of any type with any strides.
void copy(const Layer& layer, local_addr_t to, const dim4& to_stride, local_addr_t from,
          const dim4& from_stride, const dim4& shape) {
    const okk_element_t type = layer.element_bytes() == 1 ? OKK_INT8 : OKK_INT16;
    okk_bdc_cast(to, from, &shape, &to_stride, &from_stride, type, type, false);
}

local_addr_t bytes_of(const Layer& layer, std::int64_t elements) {
    return static_cast<local_addr_t>(elements * layer.element_bytes());
}

}  // namespace

dim4 packed_strides(const Layer& layer, const dim4& shape, const Lanes& lanes) {
    const int bytes = layer.element_bytes();
    const std::int64_t channel =
        lanes.whole_line_bytes(std::int64_t{shape.h} * shape.w * bytes) / bytes;
    return {isa::narrow(channel * lanes.slots(shape.c)), isa::narrow(channel), shape.w, 1};
}

local_addr_t channels_at(const LayerPlan& plan, int part, const Layer& layer, const dim4& shape,
                         const LayerWork& work) {
    const dim4 stride = packed_strides(layer, shape, plan.lanes);
    const std::int32_t image = work.image == LayerWork::kAllImages ? 0 : work.image;
    const std::int64_t slot = work.channels.begin / plan.lanes.count;
    return plan.maps[static_cast<std::size_t>(part)] +
           bytes_of(layer, std::int64_t{image} * stride.n + slot * stride.c);
}

dim4 part_of_result(const Layer& layer, const LayerWork& work) {
    dim4 shape = layer.out;
    if (work.image != LayerWork::kAllImages) {
        shape.n = 1;
        shape.c = work.channels.size();
    }
    if (work.span.size() > 0) {
        shape.h = 1;
        shape.w = work.span.size();
    }
    return shape;
}

dim4 piece_beside(const Layer& layer, const LayerWork& work) {
    dim4 piece = layer.out;
    const bool is_beside = is_convolution(layer.kind) && piece.n > 1 &&
                           work.image == LayerWork::kAllImages && work.channels.size() < piece.c;
    piece.c = is_beside ? work.channels.size() : 0;
    return piece;
}

void place_piece(const LayerPlan& plan, const Layer& layer, const LayerWork& work,
                 const dim4& piece) {
    copy(layer, channels_at(plan, layer.output, layer, layer.out, work),
         packed_strides(layer, layer.out, plan.lanes), work.scratch,
         packed_strides(layer, piece, plan.lanes), piece);
}

void concatenate_packed(const LayerCall& call, const LayerPlan& plan, const Layer& layer) {
    const dim4 stride = packed_strides(layer, layer.out, plan.lanes);
    local_addr_t to = plan.maps[static_cast<std::size_t>(layer.output)];
    for (const int map : layer.maps) {
        const dim4 shape = part_shape(call, plan.parts[static_cast<std::size_t>(map)]);
        copy(layer, to, stride, plan.maps[static_cast<std::size_t>(map)],
             packed_strides(layer, shape, plan.lanes), shape);
        to += bytes_of(layer, std::int64_t{stride.c} * (shape.c / plan.lanes.count));
    }
}

void crop_packed(const LayerPlan& plan, const Layer& layer) {
    const dim4 from = packed_strides(layer, layer.in, plan.lanes);
    const std::int64_t first = std::int64_t{layer.begin[0]} * from.n +
                               std::int64_t{layer.begin[1]} * from.h + layer.begin[2];
    copy(layer, plan.maps[static_cast<std::size_t>(layer.output)],
         packed_strides(layer, layer.out, plan.lanes),
         plan.maps[static_cast<std::size_t>(layer.maps[0])] + bytes_of(layer, first), from,
         layer.out);
}

}  // namespace okksim::kernels::layers
