// SPDX-License-Identifier: Apache-2.0
// Addresses of values: first fit, exactly like the plain definition, for any number of live values.
#include "sim/planning/memory_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "tests/support/catch.h"

namespace okksim::sim::planning {
namespace {

/// The definition, value by value: the lowest address that overlaps no live value.
std::vector<std::uint64_t> plain_places(const std::vector<Lifetime>& lifetimes) {
    std::vector<std::size_t> order(lifetimes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return lifetimes[a].first < lifetimes[b].first;
    });
    std::vector<std::uint64_t> offsets(lifetimes.size());
    std::map<std::uint64_t, std::size_t> live;
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
        offsets[value] = offset;
        if (bytes > 0) live.emplace(offset, value);
    }
    return offsets;
}

}  // namespace

TEST_CASE("values get the places of the plain definition") {
    std::mt19937 random(1);
    const auto below = [&](std::uint32_t limit) {
        return static_cast<std::uint32_t>(random() % limit);
    };
    for (int round = 0; round < 300; ++round) {
        std::vector<Lifetime> lifetimes(below(80));
        for (Lifetime& lifetime : lifetimes) {
            // Many values have the same size, some have no bytes.
            lifetime.bytes = below(5) == 0 ? 0 : below(below(3) == 0 ? 4000 : 300);
            lifetime.first = below(50);
            lifetime.last = lifetime.first + below(30);
        }
        const MemoryPlan plan = plan_memory(lifetimes);
        CHECK(plan.offsets == plain_places(lifetimes));
    }
}

TEST_CASE("many values that live to the end lie behind each other") {
    // A comparison of every value with all others would take 8e8 steps, more than half a minute.
    constexpr std::uint32_t kValues = 40000;
    std::vector<Lifetime> lifetimes;
    for (std::uint32_t i = 0; i < kValues; ++i) lifetimes.push_back({512, i, kValues});
    const MemoryPlan plan = plan_memory(lifetimes);
    CHECK(plan.bytes == std::uint64_t{512} * kValues);
    CHECK(std::ranges::is_sorted(plan.offsets));
}

}  // namespace okksim::sim::planning
