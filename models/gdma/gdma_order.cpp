// SPDX-License-Identifier: Apache-2.0
#include "models/gdma/gdma_order.h"

#include <algorithm>
#include <cstdlib>

#include "isa/layout.h"

namespace okksim::models {
namespace {

bool intervals_meet(const isa::ByteInterval& a, const isa::ByteInterval& b) {
    return a.low < b.high && b.low < a.high;
}

/// Lanes [start, start + count) around the ring of all lanes.
bool lanes_meet(std::int32_t start_a, std::int32_t start_b, std::int32_t count,
                std::int32_t lanes) {
    const std::int32_t ahead = ((start_b - start_a) % lanes + lanes) % lanes;
    return ahead < count || lanes - ahead < count;
}

}  // namespace

bool repeats_addresses(const isa::TensorView& view, std::int32_t lanes) {
    struct Step {
        std::int64_t stride;
        std::int64_t extent;
    };
    const std::int64_t slots = view.local ? isa::div_up(view.shape.c, lanes) : view.shape.c;
    std::array<Step, 4> steps{{{std::abs(std::int64_t{view.stride.n}), view.shape.n},
                               {std::abs(std::int64_t{view.stride.c}), slots},
                               {std::abs(std::int64_t{view.stride.h}), view.shape.h},
                               {std::abs(std::int64_t{view.stride.w}), view.shape.w}}};
    std::sort(steps.begin(), steps.end(),
              [](const Step& a, const Step& b) { return a.stride < b.stride; });
    std::int64_t span = 1;
    for (const Step& step : steps) {
        if (step.extent == 1) continue;
        if (step.stride < span) return true;
        span += (step.extent - 1) * step.stride;
    }
    return false;
}

bool copy_order_matters(const isa::TensorView& to, const WalkTensor& to_walk,
                        const isa::TensorView& from, const WalkTensor& from_walk,
                        const isa::MachineShape& machine) {
    if (to.local != from.local) return false;
    if (!intervals_meet(isa::touched_bytes(to, machine), isa::touched_bytes(from, machine))) {
        return false;
    }
    const isa::Dim4& shape = to.shape;
    if (!to.local) {
        return order_matters(to_walk, from_walk, {shape.n, shape.c, shape.h, shape.w},
                             to.element_bytes);
    }
    const std::int32_t start_to = machine.lane_of(to.local_addr);
    const std::int32_t start_from = machine.lane_of(from.local_addr);
    if (start_to != start_from) {
        return lanes_meet(start_to, start_from, std::min(shape.c, machine.lanes), machine.lanes);
    }
    const WalkExtents extents{shape.n, isa::div_up(shape.c, machine.lanes), shape.h, shape.w};
    return order_matters(to_walk, from_walk, extents, to.element_bytes);
}

}  // namespace okksim::models
