// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/run_picture.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "isa/tensors.h"

namespace okksim::sim::trace {
namespace {

/// Live bytes of local memory: disjoint intervals.
class LiveBytes {
 public:
    explicit LiveBytes(std::vector<LocalBar>& done) : done_(done) {}
    ~LiveBytes() {
        for (auto& [low, bar] : live_) done_.push_back(bar);
    }
    LiveBytes(const LiveBytes&) = delete;
    LiveBytes& operator=(const LiveBytes&) = delete;

    void read(std::int64_t low, std::int64_t high, models::Picoseconds end) {
        for (auto at = first_within(low); at != live_.end() && at->first < high; ++at) {
            at->second.end = std::max(at->second.end, end);
        }
    }
    void write(const LocalBar& bar) {
        for (auto at = first_within(bar.low); at != live_.end() && at->first < bar.high;) {
            const LocalBar old = at->second;
            at = live_.erase(at);
            end_between(old, bar.low, bar.high);
        }
        live_[bar.low] = bar;
    }

 private:
    std::map<std::int64_t, LocalBar>::iterator first_within(std::int64_t low) {
        auto at = live_.upper_bound(low);
        if (at != live_.begin() && std::prev(at)->second.high > low) --at;
        return at;
    }
    /// Ends `old` within [low, high); bytes outside stay live.
    void end_between(const LocalBar& old, std::int64_t low, std::int64_t high) {
        LocalBar gone = old;
        gone.low = std::max(old.low, low);
        gone.high = std::min(old.high, high);
        done_.push_back(gone);
        for (const auto& [from, to] : {std::pair(old.low, low), std::pair(high, old.high)}) {
            if (from >= to) continue;
            LocalBar rest = old;
            rest.low = from;
            rest.high = to;
            live_[from] = rest;
        }
    }

    std::vector<LocalBar>& done_;
    std::map<std::int64_t, LocalBar> live_;  ///< by low
};

}  // namespace

RunPicture::RunPicture(const models::MachineParams& machine,
                       std::function<std::uint32_t()> owner_of)
    : shape_(machine.shape()), engine_list_(machine), owner_of_(std::move(owner_of)) {}

void RunPicture::retired(const isa::Command& command, const models::CommandTimes& times) {
    const std::uint32_t owner = owner_of_();
    bars_.push_back({engine_list_.of(command), owner, times.start, times.end});
    for (const isa::TensorView& view : isa::tensor_views(command, shape_)) {
        if (!view.local || view.access == isa::Access::kNone) continue;
        const isa::ByteInterval bytes = isa::touched_bytes(view, shape_);
        accesses_.push_back({bytes.low, bytes.high, view.access != isa::Access::kWrite,
                             view.access != isa::Access::kRead, owner, times.start, times.end});
    }
}

std::vector<EngineBar> RunPicture::engines(models::Picoseconds gap) const {
    std::vector<EngineBar> sorted = bars_;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const EngineBar& a, const EngineBar& b) { return a.begin < b.begin; });
    std::vector<EngineBar> merged;
    std::map<std::size_t, std::size_t> last;  // by engine: index in merged
    for (const EngineBar& bar : sorted) {
        const auto [known, is_first] = last.try_emplace(bar.engine, merged.size());
        if (!is_first) {
            EngineBar& before = merged[known->second];
            if (before.owner == bar.owner && bar.begin - before.end <= gap) {
                before.end = std::max(before.end, bar.end);
                continue;
            }
            known->second = merged.size();
        }
        merged.push_back(bar);
    }
    return merged;
}

std::vector<LocalBar> RunPicture::local_memory() const {
    std::vector<std::size_t> order(accesses_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return accesses_[a].begin < accesses_[b].begin;
    });
    std::vector<LocalBar> bars;
    {
        LiveBytes live(bars);
        for (const std::size_t index : order) {
            const Access& access = accesses_[index];
            if (access.reads) live.read(access.low, access.high, access.end);
            if (access.writes && !access.reads) {
                live.write({access.low, access.high, access.owner, access.begin, access.end});
            }
        }
    }
    std::stable_sort(bars.begin(), bars.end(),
                     [](const LocalBar& a, const LocalBar& b) { return a.begin < b.begin; });
    return bars;
}

}  // namespace okksim::sim::trace
