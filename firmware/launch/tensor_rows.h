// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/layout.h"
#include "isa/tensors.h"

namespace okksim::firmware {

/// Rows of a channel of a tensor beyond this number are not looked at.
inline constexpr std::int64_t kMostPieces = 4096;

/// Calls visit(offset) for the first byte of each row (n, h) of one channel, up to kMostPieces,
/// until it returns true.
template <typename Visitor>
inline bool any_row(const isa::TensorView& view, const Visitor& visit) {
    std::int64_t pieces = 0;
    for (std::int64_t n = 0; n < view.shape.n; ++n) {
        for (std::int64_t h = 0; h < view.shape.h; ++h) {
            if (++pieces > kMostPieces) return false;
            if (visit((n * view.stride.n + h * view.stride.h) * view.element_bytes)) return true;
        }
    }
    return false;
}

/// Rows of a tensor in system memory: visit(address, bytes) until it returns true.
template <typename Visitor>
inline bool any_system_row(const isa::TensorView& view, const Visitor& visit) {
    const std::int64_t bytes = std::int64_t{view.shape.w} * view.element_bytes;
    for (std::int64_t c = 0; c < view.shape.c; ++c) {
        const std::int64_t base = static_cast<std::int64_t>(view.system_addr.value()) +
                                  c * view.stride.c * view.element_bytes;
        const bool found = any_row(view, [&](std::int64_t offset) {
            return visit(static_cast<std::uint64_t>(base + offset),
                         static_cast<std::uint64_t>(bytes));
        });
        if (found) return true;
    }
    return false;
}

/// Returns whether a local tensor has an element at a byte of local memory.
inline bool holds_byte(const isa::TensorView& view, isa::LocalAddr address,
                       const isa::MachineShape& machine) {
    const std::int32_t start = machine.lane_of(view.local_addr);
    const std::int32_t lane = machine.lane_of(address);
    const std::int64_t wanted = machine.offset_of(address);
    for (std::int64_t c = (lane - start + machine.lanes) % machine.lanes; c < view.shape.c;
         c += machine.lanes) {
        const std::int64_t slot = (start + c) / machine.lanes;
        const std::int64_t base =
            machine.offset_of(view.local_addr) + slot * view.stride.c * view.element_bytes;
        const bool found = any_row(view, [&](std::int64_t offset) {
            const std::int64_t step = std::int64_t{view.stride.w} * view.element_bytes;
            const std::int64_t distance = wanted - base - offset;
            if (distance < 0) return false;
            if (step <= 0) return distance < view.element_bytes;
            return distance / step < view.shape.w && distance % step < view.element_bytes;
        });
        if (found) return true;
    }
    return false;
}

/// Returns whether a tensor in system memory has an element at a byte of that memory.
inline bool holds_byte(const isa::TensorView& view, std::uint64_t address) {
    return any_system_row(view, [&](std::uint64_t row, std::uint64_t size) {
        return row <= address && address < row + size;
    });
}

}  // namespace okksim::firmware
