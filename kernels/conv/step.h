// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/conv/tiling.h"

namespace okksim::kernels::conv {

/// One step of a tiled problem: the products of a chunk of input channels and taps, added to a tile
/// of outputs.
struct Step {
    Range images, y, x, channels;  ///< the output tile
    std::int32_t z = 0;
    Range inputs, taps_y, taps_x;  ///< the chunk
    std::int32_t tap_z = 0;
    AxisSlice slice_y, slice_x;
    std::int64_t input_z = 0;
    bool empty = false;  ///< the tile's windows read only zeros
    bool first = false;  ///< of its output tile
    bool last = false;
    std::int64_t input_key = 0;   ///< equal keys: the same input tile
    std::int64_t weight_key = 0;  ///< likewise
};

/// Returns all steps in the tiling's order, without chunks that read only zeros. A tile that has no
/// other chunks keeps one step, marked empty.
std::vector<Step> make_steps(const Problem& problem, const Tiling& tiling);

/// Returns a step in the middle of the problem, of full size if there are several; for prices.
Step typical_step(const Problem& problem, const Tiling& tiling);

}  // namespace okksim::kernels::conv
