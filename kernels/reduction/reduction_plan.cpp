// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduction/reduction_plan.h"

#include <algorithm>

#include "isa/layout.h"

namespace okksim::kernels {

std::int64_t ReductionSpace::outputs() const {
    std::int64_t count = 1;
    for (const NdAxis& axis : axes) count *= axis.extent;
    return count;
}

std::int64_t ReductionPlan::steps(const ReductionSpace& space) const {
    std::int64_t points = isa::div_up(space.extent, count);
    for (const NdAxis& loop : loops) points *= loop.extent;
    std::int64_t tiles = 0;
    for (const ReductionBlock& block : blocks) {
        tiles += isa::div_up(block.channels.extent, tile_channels) *
                 isa::div_up(block.line.extent, tile_line);
    }
    return points * tiles;
}

double ReductionPlan::volume(const ReductionSpace& space) const {
    const ReductionBlock& block = blocks.front();
    const std::int64_t first = std::min(block.channels.extent, tile_channels) *
                               std::min(block.line.extent, tile_line) * count;
    return static_cast<double>(space.outputs() * space.extent) / static_cast<double>(first);
}

std::uint64_t ReductionPlan::argument_words() const {
    constexpr std::uint64_t kPlaneGroups = 9, kPerAxis = 3;
    return 2 * kPlaneGroups + 9 + kPerAxis * loops.size() + kernels::argument_words(blocks);
}

}  // namespace okksim::kernels
