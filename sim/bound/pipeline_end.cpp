// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/pipeline_end.h"

#include <algorithm>

namespace okksim::sim::bound {

using models::Picoseconds;

Picoseconds end_of(const Pipeline& pipeline, std::optional<Picoseconds> first) {
    Picoseconds stores{};
    for (const PipelineWork& work : pipeline) stores += work.stores;
    Picoseconds loaded = first.value_or(Picoseconds{}), issued = loaded, computed{}, end{};
    Picoseconds stores_left = stores;
    for (const PipelineWork& work : pipeline) {
        loaded += work.loads;
        issued += work.load_issue;
        computed = std::max({computed, loaded, first ? issued : Picoseconds{}}) + work.time;
        issued += work.issue;
        // All remaining stores wait for this work.
        end = std::max(end, computed + stores_left);
        stores_left = stores_left - work.stores;
    }
    return std::max(end, loaded + stores);
}

}  // namespace okksim::sim::bound
