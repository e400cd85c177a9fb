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

/// What lies at one end of a reduction: typed elements in system memory.
struct ReductionEnd {
    std::uint64_t address = 0;
    tosa::DType type = tosa::DType::kUnknown;
    WordForm form = WordForm::kValue;  ///< of the words that the combiner sees
    NdStrides strides{};               ///< over the dimensions; not used along the output's axis
};

/// Operands of NdAxis strides in a reduction.
inline constexpr std::size_t kReductionOut = 0, kReductionIn = 1;

/// A reduction over one axis: what is left of the dimensions is merged, ordered by the input's
/// strides.
struct ReductionSpace {
    ReductionEnd in, out;
    std::vector<NdAxis> axes;  ///< not reduced; strides of the output and the input
    std::int64_t extent = 1;   ///< of the reduced axis
    std::int64_t stride = 1;   ///< of the input along it

    std::int64_t outputs() const;
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

/// Outputs that are cut into tiles along both dimensions.
struct ReductionBlock {
    std::array<std::int64_t, 2> offset{};
    NdAxis channels, line;

    std::uint64_t argument_words() const { return 8; }
};

/// The steps of a reduction and its local memory.
struct ReductionPlan {
    Lanes lanes;
    bool along_w = true;        ///< the reduced axis lies along w, otherwise along h
    bool by_window = false;     ///< one command combines the positions of a step
    bool in_place = false;      ///< results are made in the packed tile
    std::vector<NdAxis> loops;  ///< innermost first; at each of their points all blocks
    std::vector<ReductionBlock> blocks;
    std::int64_t tile_channels = 1, tile_line = 1;  ///< those at the ends may be cut short
    std::int64_t count = 1;                         ///< most positions of a step
    int buffers = 1;                                ///< of packed tiles, at both ends
    LocalPlanes in, out;
    LocalPlanes words, further;         ///< of the values' parts; no words where packed ones do
    LocalPlanes accumulator, incoming;  ///< the parts of results
    LocalPlanes indices, fold;          ///< of ordered combinations
    LocalPlanes violations;
    local_addr_t scratch = 0;
    std::uint32_t scratch_bytes = 0;

    std::int64_t steps(const ReductionSpace& space) const;
    /// Of all steps, the first one's being 1.
    double volume(const ReductionSpace& space) const;
    std::uint64_t argument_words() const;
};

/// Planner: the fastest tiles. `combiner`: of the space's terms.
ReductionPlan plan_reduction(const Combiner& combiner, const ReductionSpace& space, Host& host);
/// Every plan that plan_reduction chooses among.
std::vector<ReductionPlan> reduction_candidates(const Combiner& combiner,
                                                const ReductionSpace& space,
                                                const isa::MachineShape& machine);

}  // namespace okksim::kernels
