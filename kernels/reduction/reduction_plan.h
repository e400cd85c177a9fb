// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/planning/decisions.h"
#include "kernels/reduction/combiner.h"
#include "kernels/tiling/local_planes.h"
#include "kernels/tiling/nd_tiles.h"
#include "kernels/transfer/tile_io.h"

namespace okksim::kernels {

/// Input or output of a reduction: typed elements in system memory.
struct ReductionEnd {
    std::uint64_t address = 0;
    tosa::DType type = tosa::DType::kUnknown;
    WordForm form = WordForm::kValue;  ///< of the words in the combiner
    NdStrides strides{};               ///< over the dimensions; not used along the output's axis
};

/// Operands of NdAxis strides in a reduction.
inline constexpr std::size_t kReductionOut = 0, kReductionIn = 1;

/// A reduction over one axis. The other dimensions are merged and ordered by the input's strides.
struct ReductionSpace {
    ReductionEnd in, out;
    std::vector<NdAxis> axes;  ///< not reduced; strides of the output and the input
    std::int64_t extent = 1;   ///< of the reduced axis
    std::int64_t stride = 1;   ///< of the input along it

    std::int64_t outputs() const;
};

/// Outputs of one tile: c over lanes, and `line` along w, or along h if the reduced axis is w.
struct ReductionTile {
    std::array<std::int64_t, 2> offset{};  ///< elements of output and input: its first position
    NdAxis channels, line;
};

/// One step: positions [begin, begin + count) of the reduced axis for one tile of outputs. The
/// steps of a tile are consecutive.
struct ReductionStep {
    ReductionTile tile;
    std::int64_t begin = 0, count = 0;
    bool first = false, last = false;  ///< of the tile
};

/// Outputs that are cut into tiles along both dimensions.
struct ReductionBlock {
    std::array<std::int64_t, 2> offset{};
    NdAxis channels, line;

    std::uint64_t argument_words() const { return 8; }
};

/// The steps of a reduction and its local memory.
struct ReductionPlan {
    Lanes lanes;
    bool along_w = true;        ///< the reduced axis is w, otherwise h
    bool by_window = false;     ///< one command combines the positions of a step
    bool in_place = false;      ///< results are computed in the packed tile
    std::vector<NdAxis> loops;  ///< innermost first; all blocks run at each of their points
    std::vector<ReductionBlock> blocks;
    std::int64_t tile_channels = 1, tile_line = 1;  ///< the last ones may be shorter
    std::int64_t count = 1;                         ///< most positions of a step
    int buffers = 1;                                ///< of packed tiles, at both ends
    LocalPlanes in, out;
    LocalPlanes words, further;         ///< of values' parts; no words if packed ones do
    LocalPlanes accumulator, incoming;  ///< the parts of results
    LocalPlanes indices, fold;          ///< of ordered combinations
    LocalPlanes violations;
    local_addr_t scratch = 0;
    std::uint32_t scratch_bytes = 0;

    std::int64_t steps(const ReductionSpace& space) const;
    /// Volume of all steps, relative to the first one.
    double volume(const ReductionSpace& space) const;
    std::uint64_t argument_words() const;
};

}  // namespace okksim::kernels
