// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/memory_plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

namespace okksim::sim::planning {
namespace {

/// The free gaps between living values. The last gap has no end.
class Gaps {
 public:
    Gaps() { insert(0, std::numeric_limits<std::uint64_t>::max()); }

    /// Allocates `bytes` bytes at the lowest possible offset. `bytes` is at least 1.
    std::uint64_t take(std::uint64_t bytes) {
        const std::uint64_t offset = lowest(bytes);
        const std::uint64_t gap = remove(by_offset_.find(offset));
        if (gap > bytes) insert(offset + bytes, gap - bytes);
        return offset;
    }

    void give(std::uint64_t offset, std::uint64_t bytes) {
        auto next = by_offset_.lower_bound(offset);
        if (next != by_offset_.begin()) {
            const auto previous = std::prev(next);
            if (previous->first + previous->second == offset) {
                offset = previous->first;
                bytes += remove(previous);
            }
        }
        if (next != by_offset_.end() && next->first == offset + bytes) bytes += remove(next);
        insert(offset, bytes);
    }

 private:
    using ByOffset = std::map<std::uint64_t, std::uint64_t>;

    std::uint64_t lowest(std::uint64_t bytes) const {
        std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
        // Only gaps with the same bit width as `bytes` can be too small. All wider gaps fit.
        const auto width = static_cast<std::size_t>(std::bit_width(bytes));
        for (const std::uint64_t offset : by_width_[width]) {
            if (by_offset_.at(offset) < bytes) continue;
            best = offset;
            break;
        }
        for (std::size_t wider = width + 1; wider < by_width_.size(); ++wider) {
            if (!by_width_[wider].empty()) best = std::min(best, *by_width_[wider].begin());
        }
        return best;
    }

    void insert(std::uint64_t offset, std::uint64_t bytes) {
        by_offset_.emplace(offset, bytes);
        of_width(bytes).insert(offset);
    }

    std::uint64_t remove(ByOffset::iterator gap) {
        const std::uint64_t bytes = gap->second;
        of_width(bytes).erase(gap->first);
        by_offset_.erase(gap);
        return bytes;
    }

    std::set<std::uint64_t>& of_width(std::uint64_t bytes) {
        return by_width_[static_cast<std::size_t>(std::bit_width(bytes))];
    }

    ByOffset by_offset_;
    std::array<std::set<std::uint64_t>, 65> by_width_;  ///< offsets, by the bit width of the size
};

}  // namespace

MemoryPlan plan_memory(const std::vector<Lifetime>& lifetimes) {
    std::vector<std::uint32_t> order(lifetimes.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(lifetimes[a].first, a) < std::pair(lifetimes[b].first, b);
    });
    MemoryPlan plan;
    plan.offsets.resize(lifetimes.size());
    Gaps gaps;
    const auto ends_later = [&](std::size_t a, std::size_t b) {
        return lifetimes[a].last > lifetimes[b].last;
    };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(ends_later)> live(
        ends_later);
    for (const std::uint32_t value : order) {
        while (!live.empty() && lifetimes[live.top()].last < lifetimes[value].first) {
            gaps.give(plan.offsets[live.top()], place_bytes(lifetimes[live.top()].bytes));
            live.pop();
        }
        const std::uint64_t bytes = place_bytes(lifetimes[value].bytes);
        // Empty values need no memory.
        if (bytes == 0) continue;
        plan.offsets[value] = gaps.take(bytes);
        plan.bytes = std::max(plan.bytes, plan.offsets[value] + bytes);
        live.push(value);
    }
    return plan;
}

}  // namespace okksim::sim::planning
