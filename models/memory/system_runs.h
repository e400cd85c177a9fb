// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "isa/tensors.h"

namespace okksim::models {

/// Calls visit(address, bytes) for the contiguous runs of a system tensor, in ascending (n, c, h,
/// w) order. Dimensions that repeat the same bytes are visited once.
template <typename Visitor>
void for_each_system_run(const isa::TensorView& view, Visitor&& visit) {
    const isa::Dim4& shape = view.shape;
    const isa::Dim4& stride = view.stride;
    const std::array<std::pair<std::int64_t, std::int64_t>, 4> inwards{
        {{shape.w, stride.w}, {shape.h, stride.h}, {shape.c, stride.c}, {shape.n, stride.n}}};
    std::array<std::int64_t, 4> extent{1, 1, 1, 1};
    std::array<std::int64_t, 4> step{};
    std::int64_t run_bytes = view.element_bytes;
    std::size_t loops = 0;
    for (const auto& [count, elements] : inwards) {
        const std::int64_t bytes = elements * view.element_bytes;
        if (count == 1 || bytes == 0) continue;
        if (loops == 0 && bytes == run_bytes) {
            run_bytes *= count;
            continue;
        }
        extent[loops] = count;
        step[loops++] = bytes;
    }
    const auto start = static_cast<std::int64_t>(view.system_addr.value());
    for (std::int64_t i3 = 0; i3 < extent[3]; ++i3) {
        for (std::int64_t i2 = 0; i2 < extent[2]; ++i2) {
            for (std::int64_t i1 = 0; i1 < extent[1]; ++i1) {
                for (std::int64_t i0 = 0; i0 < extent[0]; ++i0) {
                    const std::int64_t offset =
                        i3 * step[3] + i2 * step[2] + i1 * step[1] + i0 * step[0];
                    visit(static_cast<std::uint64_t>(start + offset),
                          static_cast<std::uint64_t>(run_bytes));
                }
            }
        }
    }
}

}  // namespace okksim::models
