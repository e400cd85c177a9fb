// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/layout.h"
#include "isa/tensors.h"

namespace okksim::models {

/// Location of a tensor element: byte `at` of a lane, or system address `at`.
struct ElementPlace {
    std::int32_t lane = 0;
    std::int64_t at = 0;
};

/// Returns the location of element `index`.
inline ElementPlace place_of(const isa::TensorView& view, const isa::Dim4& index,
                             const isa::MachineShape& machine) {
    std::int64_t elements = std::int64_t{index.n} * view.stride.n +
                            std::int64_t{index.h} * view.stride.h +
                            std::int64_t{index.w} * view.stride.w;
    if (!view.local) {
        elements += std::int64_t{index.c} * view.stride.c;
        return {
            0, static_cast<std::int64_t>(view.system_addr.value()) + elements * view.element_bytes};
    }
    const std::int64_t position = std::int64_t{machine.lane_of(view.local_addr)} + index.c;
    elements += position / machine.lanes * view.stride.c;
    return {isa::narrow(position % machine.lanes),
            machine.offset_of(view.local_addr) + elements * view.element_bytes};
}

/// Calls visit(index) for every element, channel by channel.
template <typename Visitor>
void for_each_element(const isa::TensorView& view, const Visitor& visit) {
    const isa::Dim4& shape = view.shape;
    for (std::int32_t c = 0; c < shape.c; ++c) {
        for (std::int32_t n = 0; n < shape.n; ++n) {
            for (std::int32_t h = 0; h < shape.h; ++h) {
                for (std::int32_t w = 0; w < shape.w; ++w) visit(isa::Dim4{n, c, h, w});
            }
        }
    }
}

}  // namespace okksim::models
