// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "firmware/okk.h"
#include "kernels/conv/problem.h"
#include "kernels/prim/lanes.h"

/// Turns convolutions of few channels into convolutions of many: the columns of a window become
/// channels, so that a pass over input channels is full. Input channel kx * channels + c of column
/// o is channel c at tap kx of output column o. The GDMA writes this layout on the way to local
/// memory (group dma_layout), with one command per tap.
namespace okksim::kernels::conv {

/// True if a problem can be unfolded and may become faster.
bool can_unfold(const Problem& problem, const Lanes& lanes);
/// The problem after unfolding. Columns of its input do not exist in system memory.
Problem unfolded(const Problem& problem);
/// The opposite of unfolding: if a single pixel has more channels than a command takes, some become
/// the columns of a window. They must split into equal parts; other problems are returned
/// unchanged.
Problem folded(const Problem& problem);

/// A tile of an unfolded input in local memory.
struct UnfoldedTile {
    Range images;
    AxisSlice rows;
    local_addr_t to = 0;
};
/// Firmware: loads a tile of the input of `problem`, which is not unfolded. Columns outside the
/// feature map get the input's zero point.
void load_unfolded(const Problem& problem, const UnfoldedTile& tile, const Lanes& lanes);

}  // namespace okksim::kernels::conv
