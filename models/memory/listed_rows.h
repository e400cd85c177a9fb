// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "isa/command.h"
#include "models/memory/element_places.h"
#include "models/memory/system_memory.h"

namespace okksim::models {

/// GDMA commands that copy rows by a list (group dma_index): dst[n,c] = src[n,list[n,c]], or
/// dst[n,list[n,c]] = src[n,c].
inline bool gathers_rows(const isa::Command& command) {
    return command.info().form == isa::Form::kGdmaGather;
}
inline bool scatters_rows(const isa::Command& command) {
    return command.info().form == isa::Form::kGdmaScatter;
}

/// Calls visit(n, c, row) for every entry of such a command's list. Omits entries outside [0,
/// `rows`) and lists outside of all memories, because they end the launch.
template <typename Visitor>
void for_each_listed_row(const isa::TensorView& list, std::int32_t rows, SystemMemory& system,
                         const isa::MachineShape& machine, const Visitor& visit) {
    for_each_element(list, [&](const isa::Dim4& at) {
        const ElementPlace place = place_of(list, {at.n, at.c, 0, 0}, machine);
        std::int32_t row = 0;
        const std::byte* entry = system.pointer(static_cast<std::uint64_t>(place.at), sizeof row);
        if (entry == nullptr) return;
        std::memcpy(&row, entry, sizeof row);
        if (row >= 0 && row < rows) visit(at.n, at.c, row);
    });
}

/// Returns one row of a system tensor as a separate tensor.
inline isa::TensorView row_of(const isa::TensorView& view, std::int32_t n, std::int32_t row,
                              const isa::MachineShape& machine) {
    isa::TensorView part = view;
    part.system_addr = isa::SystemAddr::from(
        static_cast<std::uint64_t>(place_of(view, {n, row, 0, 0}, machine).at));
    part.shape.n = part.shape.c = 1;
    return part;
}

}  // namespace okksim::models
