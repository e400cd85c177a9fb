// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <queue>
#include <vector>

namespace okksim::sim::graph {

/// Orders `count` items topologically and otherwise keeps their order. `for_each_needed(i, visit)`
/// calls visit(j) for each item that `i` needs, once per use. Items on cycles, and
/// items that depend on them, are omitted.
template <typename ForEachNeeded>
std::vector<std::uint32_t> execution_order(std::uint32_t count, ForEachNeeded&& for_each_needed) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    bool is_ordered = true;
    for (std::uint32_t i = 0; i < count; ++i) {
        for_each_needed(i, [&](std::uint32_t needed) { is_ordered = is_ordered && needed < i; });
    }
    if (is_ordered) return order;
    order.clear();
    // The users of i are users[first[i]] to users[first[i + 1]].
    std::vector<std::uint32_t> first(std::size_t{count} + 2), waits(count), users;
    for (std::uint32_t i = 0; i < count; ++i) {
        for_each_needed(i, [&](std::uint32_t needed) {
            ++first[std::size_t{needed} + 2];
            ++waits[i];
        });
    }
    std::partial_sum(first.begin(), first.end(), first.begin());
    users.resize(first.back());
    for (std::uint32_t i = 0; i < count; ++i) {
        for_each_needed(i, [&](std::uint32_t needed) { users[first[needed + 1]++] = i; });
    }
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (waits[i] == 0) ready.push(i);
    }
    while (!ready.empty()) {
        const std::uint32_t next = ready.top();
        ready.pop();
        order.push_back(next);
        for (std::uint32_t i = first[next]; i < first[next + 1]; ++i) {
            if (--waits[users[i]] == 0) ready.push(users[i]);
        }
    }
    return order;
}

}  // namespace okksim::sim::graph
