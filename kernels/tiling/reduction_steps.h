// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/tiling/nd_tiles.h"

namespace okksim::kernels {

/// Operands of NdAxis strides in a reduction.
inline constexpr std::size_t kReductionOut = 0, kReductionIn = 1;

/// A reduction over one axis: what is left of the dimensions is merged, ordered by the input's
/// strides.
struct ReductionSpace {
    std::vector<NdAxis> axes;  ///< not reduced; strides of the output and the input
    std::int64_t extent = 1;   ///< of the reduced axis
    std::int64_t stride = 1;   ///< of the input along it
};

/// Outputs that one tile makes: c over lanes, and `line`, which lies along w, or along h when the
/// reduced axis takes w.
struct ReductionTile {
    std::array<std::int64_t, 2> offset{};  ///< elements of output and input: its first position
    NdAxis channels, line;
};

/// One step: positions [begin, begin + count) of the reduced axis for one tile of outputs. The
/// steps of a tile follow each other.
struct ReductionStep {
    ReductionTile tile;
    std::int64_t begin = 0, count = 0;
    bool first = false, last = false;  ///< of the tile
};

struct ReductionPlan {
    bool along_w = true;  ///< the reduced axis lies along w, otherwise along h
    std::vector<ReductionStep> steps;
};

/// Cuts a reduction into steps of at most `words` words per lane (a multiple of 32). Pure.
ReductionPlan plan_reduction(const ReductionSpace& space, std::int64_t words, int lanes);

}  // namespace okksim::kernels
