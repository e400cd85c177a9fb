// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace okksim::sim::planning {

/// How long the planner may look for better layer groups. A candidate is a group that is laid out
/// and priced. The same number of candidates gives the same plan; what seconds cut depends on the
/// host.
struct SearchLimit {
    std::uint64_t candidates = 0;  ///< 0: as many as there are
    double seconds = 0;            ///< 0: as long as it takes
};

/// What a search has taken.
struct SearchSpent {
    std::uint64_t candidates = 0;
    bool is_cut = false;   ///< there were more: the plan is the best so far
    bool by_time = false;  ///< SearchLimit::seconds cut it
};

class SearchBudget {
 public:
    explicit SearchBudget(const SearchLimit& limit) : limit_(limit) {}

    /// Whether one more candidate may be looked at; counts it.
    bool spend() {
        if (is_spent()) return false;
        ++spent_.candidates;
        return true;
    }
    const SearchSpent& spent() const { return spent_; }

    /// Whether anything is left for what there is still to look at; notes it where not.
    bool has_left() { return !is_spent(); }

    /// A budget of so many candidates at most, of what is left: something is (has_left()).
    SearchBudget part(std::uint64_t candidates) const {
        SearchLimit limit = limit_;
        limit.candidates = candidates;
        if (limit_.candidates > 0) {
            limit.candidates = std::min(candidates, limit_.candidates - spent_.candidates);
        }
        SearchBudget part(limit);
        part.start_ = start_;
        return part;
    }
    /// Counts what a part has spent; that it was cut says nothing of this one, unless time or
    /// candidates of this one are up.
    void add(const SearchSpent& part) {
        spent_.candidates += part.candidates;
        spent_.by_time |= part.by_time;
        const bool is_used_up = limit_.candidates > 0 && spent_.candidates >= limit_.candidates;
        spent_.is_cut |= part.by_time || (part.is_cut && is_used_up);
    }

 private:
    bool is_spent() {
        if (spent_.is_cut) return true;
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
        const bool is_late = limit_.seconds > 0 && passed.count() >= limit_.seconds;
        const bool is_used_up = limit_.candidates > 0 && spent_.candidates >= limit_.candidates;
        spent_.is_cut = is_late || is_used_up;
        spent_.by_time = is_late && !is_used_up;
        return spent_.is_cut;
    }

    SearchLimit limit_;
    SearchSpent spent_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace okksim::sim::planning
