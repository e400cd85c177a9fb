// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "firmware/okk.h"
#include "kernels/conv/problem.h"
#include "kernels/prim/lanes.h"

/// Convolutions of few channels as such of many: the columns of a window become channels, so that
/// a pass over input channels is full. Input channel kx * channels + c of column o is channel c at
/// tap kx of output column o. The data mover lays a tile out like that on its way to local memory
/// (group dma_layout): one command per tap.
namespace okksim::kernels::conv {

/// Whether it can be done, and may be worth it.
bool can_unfold(const Problem& problem, const Lanes& lanes);
/// The problem that commands see then; columns of its input do not lie in system memory.
Problem unfolded(const Problem& problem);
/// The other way round: of a single pixel with more channels than a command takes some become the
/// columns of a window, where they can be cut into equal parts; other problems stay.
Problem folded(const Problem& problem);

/// A tile of an unfolded input in local memory.
struct UnfoldedTile {
    Range images;
    AxisSlice rows;
    local_addr_t to = 0;
};
/// Firmware: loads a tile of the input of `problem`, which is not unfolded; columns outside of the
/// map are the input's zero point.
void load_unfolded(const Problem& problem, const UnfoldedTile& tile, const Lanes& lanes);

}  // namespace okksim::kernels::conv
