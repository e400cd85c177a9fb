// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/memory_plan.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace okksim::sim::planning {

MemoryPlan plan_memory(const std::vector<Lifetime>& lifetimes) {
    std::vector<std::size_t> order(lifetimes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return lifetimes[a].first < lifetimes[b].first;
    });
    MemoryPlan plan;
    plan.offsets.resize(lifetimes.size());
    std::map<std::uint64_t, std::size_t> live;  // by offset
    for (const std::size_t value : order) {
        std::erase_if(live, [&](const auto& entry) {
            return lifetimes[entry.second].last < lifetimes[value].first;
        });
        const std::uint64_t bytes = place_bytes(lifetimes[value].bytes);
        std::uint64_t offset = 0;
        for (const auto& [start, other] : live) {
            if (offset + bytes <= start) break;
            offset = std::max(offset, start + place_bytes(lifetimes[other].bytes));
        }
        plan.offsets[value] = offset;
        plan.bytes = std::max(plan.bytes, offset + bytes);
        // Values of no bytes take no place.
        if (bytes > 0) live.emplace(offset, value);
    }
    return plan;
}

}  // namespace okksim::sim::planning
