// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "firmware/okk.h"

namespace okksim::kernels::conv {

/// A block (n, c, h, w) that the GDMA transfers between system memory and lanes. Strides count
/// elements; system strides may be negative. The GDMA needs stride 1 in w, so dimensions are
/// reassigned and merged. c stays over the lanes. A dimension that fits no command becomes a loop.
struct BlockTransfer {
    int element_bytes = 4;  ///< 1, 2, 4 or 8
    dim4 shape{1, 1, 1, 1};
    std::array<std::int64_t, 4> system{};  ///< n, c, h, w
    std::array<std::int64_t, 4> local{};   ///< c: from one channel slot to the next
    /// The machine has the group dma_layout. Elements that would be transferred one at a time use
    /// one command with arbitrary strides.
    bool transposes = false;
};

void load_block(local_addr_t to, std::uint64_t from, const BlockTransfer& block);
void store_block(std::uint64_t to, local_addr_t from, const BlockTransfer& block);

}  // namespace okksim::kernels::conv
