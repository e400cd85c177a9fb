// SPDX-License-Identifier: Apache-2.0
#include "kernels/pool/pool_plan.h"

#include "isa/layout.h"

namespace okksim::kernels {
namespace {

std::int64_t parts_of(const std::vector<std::vector<PoolSpan>>& tiles) {
    std::int64_t count = 0;
    for (const std::vector<PoolSpan>& parts : tiles) {
        count += static_cast<std::int64_t>(parts.size());
    }
    return count;
}

}  // namespace

std::int64_t PoolPlan::steps() const {
    return repeats.extent * isa::div_up(channels.extent, step_channels) * parts_of(tiles[0]) *
           parts_of(tiles[1]);
}

double PoolPlan::volume() const {
    double volume = static_cast<double>(repeats.extent * channels.extent) / step_channels;
    for (const auto& axis : tiles) {
        double extents = 0;
        for (const std::vector<PoolSpan>& parts : axis) {
            for (const PoolSpan& span : parts) extents += span.valid_extent;
        }
        volume *= extents / axis.front().front().valid_extent;
    }
    return volume;
}

std::uint64_t PoolPlan::argument_words() const {
    constexpr std::uint64_t kPlaneGroups = 11, kPerSpan = 8, kPerAxis = 3;
    return 2 * kPlaneGroups + 2 * kPerAxis + 8 +
           kPerSpan * static_cast<std::uint64_t>(parts_of(tiles[0]) + parts_of(tiles[1]));
}

Window window_of(const PoolSpan& span, std::int32_t stride) {
    return {span.taps, stride, span.outputs};
}

std::array<std::int32_t, 2> padding_of(const PoolSpan& span) {
    const std::int32_t before = span.valid - span.begin;
    return {before, span.extent - before - span.valid_extent};
}

std::int32_t command_stride(const PoolSpan& span, std::int32_t stride) {
    return span.outputs == 1 ? 1 : stride;
}

}  // namespace okksim::kernels
