// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "isa/layout.h"
#include "isa/tensors.h"

namespace okksim::models {

/// Largest number of contiguous pieces of a tensor that are examined one by one.
inline constexpr std::int64_t kMaxFootprintRuns = 4096;

inline constexpr std::int32_t kBytesPerWord = 4;

/// A tensor as loops over contiguous runs of bytes. Dimensions that repeat the same bytes are
/// omitted; dimensions with an even step are merged.
struct RunLoops {
    std::array<std::int64_t, 3> extent{1, 1, 1};
    std::array<std::int64_t, 3> stride{};
    std::int64_t run_bytes = 0;

    std::int64_t count() const { return extent[0] * extent[1] * extent[2]; }

    /// Calls visit(offset) for every run until it returns false. Returns false in that case.
    template <typename Visitor>
    bool for_each(Visitor&& visit) const {
        for (std::int64_t i0 = 0; i0 < extent[0]; ++i0) {
            for (std::int64_t i1 = 0; i1 < extent[1]; ++i1) {
                for (std::int64_t i2 = 0; i2 < extent[2]; ++i2) {
                    if (!visit(i0 * stride[0] + i1 * stride[1] + i2 * stride[2])) return false;
                }
            }
        }
        return true;
    }
};

/// Returns the loops over (n, h, w) of one channel. The caller loops over the channels.
inline RunLoops run_loops(const isa::TensorView& view) {
    RunLoops loops;
    loops.run_bytes = view.element_bytes;
    int depth = 2;
    const std::array<std::pair<std::int64_t, std::int64_t>, 3> dimensions{
        {{view.shape.w, view.stride.w},
         {view.shape.h, view.stride.h},
         {view.shape.n, view.stride.n}}};
    bool contiguous = true;
    for (const auto& [extent, elements] : dimensions) {
        const std::int64_t stride = elements * view.element_bytes;
        if (extent == 1 || stride == 0) continue;
        if (contiguous && stride == loops.run_bytes) {
            loops.run_bytes *= extent;
            continue;
        }
        contiguous = false;
        loops.extent[static_cast<std::size_t>(depth)] = extent;
        loops.stride[static_cast<std::size_t>(depth)] = stride;
        --depth;
    }
    return loops;
}

/// Lanes of one channel slot of a local tensor, lane numbers below the machine's.
struct SlotLanes {
    std::int32_t first = 0;
    std::int32_t last = 0;  ///< exclusive
};

/// Lanes that hold a channel in slot `slot`, counted from the tensor's address.
inline SlotLanes slot_lanes(std::int32_t start_lane, std::int32_t channels, std::int64_t slot,
                            std::int32_t lanes) {
    const std::int64_t end = std::int64_t{start_lane} + channels - slot * lanes;
    return {slot == 0 ? start_lane : 0,
            static_cast<std::int32_t>(std::min<std::int64_t>(end, lanes))};
}

/// Number of input channels in the last unit of a weight tensor, and in a full unit. They are equal
/// if all elements are weights or the tensor holds no weights.
struct LastUnit {
    std::int32_t used = 1;
    std::int32_t channels = 1;
};
inline LastUnit last_unit(const isa::Command& command, const isa::TensorView& view) {
    constexpr std::int32_t kUnitBytes = 2 * kBytesPerWord;
    if (view.element_bytes != kUnitBytes) return {};
    const auto unit = [](std::int32_t channels, std::int32_t in_unit) {
        return LastUnit{(channels - 1) % in_unit + 1, in_unit};
    };
    const isa::Form form = command.info().form;
    if (form == isa::Form::kConvolution) {
        return unit(command.as<isa::Convolution>().input_shape.c, 2);
    }
    if (form == isa::Form::kHalfConvolution) {
        return unit(command.as<isa::HalfConvolution>().input_shape.c, 4);
    }
    return {};
}

/// Calls visit(view) for the parts of a view that its command should touch. Omits dummies of weight
/// channels that do not fill their last unit, and unused columns of a matrix's last channel.
template <typename Visitor>
inline void for_each_part(const isa::Command& command, const isa::TensorView& view,
                          const isa::MachineShape& machine, Visitor&& visit) {
    const LastUnit last = last_unit(command, view);
    if (view.last_channel_w == 0 && last.used == last.channels) return visit(view);
    isa::TensorView part = view;
    if (view.last_channel_w != 0 && view.last_channel_w != view.shape.w) {
        const std::int32_t index = view.shape.c - 1;
        part.shape.c = index;
        if (index > 0) visit(part);
        const std::int32_t position = machine.lane_of(view.local_addr) + index;
        part = view;
        part.shape.c = 1;
        part.shape.w = view.last_channel_w;
        const std::int64_t offset =
            machine.offset_of(view.local_addr) +
            std::int64_t{position / machine.lanes} * view.stride.c * view.element_bytes;
        part.local_addr.value =
            static_cast<std::uint32_t>(position % machine.lanes * machine.local_bytes + offset);
        visit(part);
        return;
    }
    if (last.used == last.channels) return visit(part);
    part.shape.n = view.shape.n - 1;
    if (part.shape.n > 0) visit(part);
    // The weights of the last units: for three, the first two and then the third.
    part.shape.n = 1;
    part.local_addr.value +=
        static_cast<std::uint32_t>((view.shape.n - 1) * view.stride.n * view.element_bytes);
    const std::int32_t bytes = view.element_bytes / last.channels;
    for (std::int32_t rest = last.used; rest > 0;) {
        const std::int32_t count = rest >= 2 ? 2 : 1;
        const std::int32_t steps = last.channels / count;
        part.element_bytes = count * bytes;
        part.stride = {0, view.stride.c * steps, view.stride.h * steps, view.stride.w * steps};
        visit(part);
        part.local_addr.value += static_cast<std::uint32_t>(part.element_bytes);
        rest -= count;
    }
}

/// Calls visit(view) for the written parts of a result. A product also computes the unused columns.
template <typename Visitor>
inline void for_each_written_part(const isa::Command& command, const isa::TensorView& view,
                                  const isa::MachineShape& machine, Visitor&& visit) {
    if (view.computes_last_channel) return visit(view);
    for_each_part(command, view, machine, visit);
}

}  // namespace okksim::models
