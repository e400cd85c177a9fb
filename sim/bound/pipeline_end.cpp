// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/pipeline_end.h"

#include <algorithm>

namespace okksim::sim::bound {

using models::Picoseconds;

Picoseconds end_of(const Pipeline& pipeline, const IssuePace& pace) {
    Picoseconds stores{};
    for (const PipelineWork& work : pipeline) stores += work.stores;
    Picoseconds loaded = pace.first, computed{}, end{};
    Picoseconds stores_left = stores;
    std::int64_t commands = 0;
    for (const PipelineWork& work : pipeline) {
        loaded += work.loads;
        commands += work.load_commands;
        const Picoseconds issued = pace.first + Picoseconds{commands * pace.command.value};
        computed = std::max({computed, loaded, issued}) + work.time;
        commands += work.commands;
        // All stores from here on wait for this work.
        end = std::max(end, computed + stores_left);
        stores_left = stores_left - work.stores;
    }
    return std::max(end, loaded + stores);
}

}  // namespace okksim::sim::bound
