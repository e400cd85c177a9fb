// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "isa/tensors.h"

namespace okksim::models {

/// A byte of local memory.
struct LocalPlace {
    std::int32_t lane = 0;
    std::int64_t offset = 0;  ///< byte in the lane

    /// "lane 3, byte 0x40".
    std::string text() const;
};

/// Returns a byte that both local tensors touch, if they share one. Exact for tensors of up to 4096
/// contiguous pieces per channel; only the first 4096 pieces of larger tensors count.
std::optional<LocalPlace> shared_place(const isa::TensorView& a, const isa::TensorView& b,
                                       const isa::MachineShape& machine);

/// True if two elements of one tensor share memory: in a lane, or in a system memory. Exact.
bool shares_own_memory(const isa::TensorView& view, const isa::MachineShape& machine);

/// True if element-by-element work in ascending (n, c, h, w) order would read from `source` bytes
/// that it has written to `result` before. True also for tensors that cannot be compared (other
/// shapes, elements or start lanes).
bool reads_own_results(const isa::TensorView& result, const isa::TensorView& source,
                       const isa::MachineShape& machine);

}  // namespace okksim::models
