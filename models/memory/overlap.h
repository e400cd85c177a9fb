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

/// A byte that both local tensors touch, if they share one. Exact for tensors of up to 4096
/// contiguous pieces per channel; of a tensor with more only the first 4096 count.
std::optional<LocalPlace> shared_place(const isa::TensorView& a, const isa::TensorView& b,
                                       const isa::MachineShape& machine);

/// Whether work that goes through two local tensors element by element, in ascending (n, c, h, w)
/// order, reads of `source` what it has written into `result` before. Tensors that cannot be
/// compared so (other shapes, elements or start lanes) count as if it did.
bool reads_own_results(const isa::TensorView& result, const isa::TensorView& source,
                       const isa::MachineShape& machine);

}  // namespace okksim::models
