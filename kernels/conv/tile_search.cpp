// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/tile_search.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "kernels/conv/channel_round.h"
#include "kernels/conv/problem_run.h"
#include "kernels/conv/tiling_candidates.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels::conv {
namespace {

/// Most tilings that are simulated step by step, and most that run: these limit planning time.
constexpr std::size_t kMostWalked = 112;
constexpr std::size_t kMostTimed = 44;
/// Steps up to which a step-by-step simulation is cheap.
constexpr std::int64_t kMostSteps = 1000;
/// A tiling whose expected time exceeds the best time by this factor is not run.
constexpr double kMargin = 1.25;

/// Limit of expected times that justify a run, from the best time so far.
Duration worth_a_run(Duration time) {
    if (time == Duration::max()) return time;
    return Duration(static_cast<Duration::rep>(kMargin * static_cast<double>(time.count())));
}

/// The tilings with the shortest expected times, all below `most`.
class Shortlist {
 public:
    explicit Shortlist(Duration most) : most_(most) {}
    void add(const Tiling& tiling, Duration expected) {
        if (expected >= limit()) return;
        entries_.push_back({tiling, expected});
        std::push_heap(entries_.begin(), entries_.end(), slower_last);
        if (entries_.size() <= kMostWalked) return;
        std::pop_heap(entries_.begin(), entries_.end(), slower_last);
        entries_.pop_back();
    }
    /// Limit of expected times that are kept.
    Duration limit() const {
        return entries_.size() == kMostWalked ? entries_.front().time : most_;
    }
    std::vector<TimedTiling>& entries() { return entries_; }

 private:
    static bool slower_last(const TimedTiling& a, const TimedTiling& b) { return a.time < b.time; }
    Duration most_;
    std::vector<TimedTiling> entries_;
};

/// True for orders of one tile with equal expected times: they run equally.
bool is_alike(const TimedTiling& a, const TimedTiling& b) {
    const Tile &s = a.tiling.tile, &t = b.tiling.tile;
    return a.time == b.time && a.tiling.input.spread == b.tiling.input.spread &&
           a.tiling.weights.spread == b.tiling.weights.spread &&
           a.tiling.zero_channels == b.tiling.zero_channels &&
           std::tie(s.images, s.channels, s.y, s.x, s.inputs, s.taps_y, s.taps_x) ==
               std::tie(t.images, t.channels, t.y, t.x, t.inputs, t.taps_y, t.taps_x);
}

}  // namespace

std::optional<Duration> time_of(const Problem& problem, const SumRule& rule, const Tiling& tiling,
                                Host& host, Duration limit) {
    // The run reports sums that do not fit.
    return host.time_within(limit, [&] { static_cast<void>(run_round(problem, rule, tiling)); });
}

TimedTiling fastest_tiling(const Problem& problem, const SumRule& rule, Host& host, Duration most) {
    const isa::MachineShape& shape = host.machine();
    const Machine machine =
        room_for(problem, rule, lanes_of(shape), static_cast<std::uint32_t>(shape.local_bytes))
            .machine;
    TilePrices prices(problem, rule, host);
    const auto expected = [&](const Tiling& tiling, const StepWork& step) {
        return overlapped_time(problem, tiling, average_work(problem, tiling, shape.lanes, step));
    };
    Shortlist shortlist(worth_a_run(most));
    const prim::LocalTensor word{0, dim4{1, 1, 1, 1}, std::nullopt};
    const Duration command = host.work([&] { prim::raw::fill(word, 0u); }).processor;
    for_each_tiling(problem, rule, machine, [&](const Tiling& tiling) {
        const Duration limit = shortlist.limit();
        if (issue_time(problem, tiling, command) >= std::min(limit, most)) return;
        if (limit < Duration::max() && expected(tiling, prices.least(tiling)) >= limit) return;
        shortlist.add(tiling, expected(tiling, prices.of(tiling)));
    });
    std::vector<TimedTiling>& candidates = shortlist.entries();
    for (TimedTiling& candidate : candidates) {
        if (candidate.tiling.counts.steps() > kMostSteps) continue;
        candidate.time =
            stepwise_time(problem, candidate.tiling, shape.lanes, prices.of(candidate.tiling));
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
    candidates.erase(std::unique(candidates.begin(), candidates.end(), is_alike), candidates.end());
    TimedTiling best{{}, most};
    for (std::size_t i = 0; i < std::min(candidates.size(), kMostTimed); ++i) {
        if (candidates[i].time > worth_a_run(best.time)) break;
        const auto time = time_of(problem, rule, candidates[i].tiling, host, best.time);
        if (time && *time < best.time) best = {candidates[i].tiling, *time};
    }
    return best;
}

}  // namespace okksim::kernels::conv
