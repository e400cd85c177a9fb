// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace okksim::sim::planning {

/// Limits of the search for faster layer groups. A candidate is a group that is allocated and
/// priced. The same number of candidates gives the same plan, while a time limit depends on the
/// host.
struct SearchLimit {
    std::uint64_t candidates = 0;  ///< 0: no limit
    double seconds = 0;            ///< 0: no limit
};

/// The effort of a search.
struct SearchSpent {
    std::uint64_t candidates = 0;
    bool is_cut = false;   ///< more candidates were left: the plan is the best so far
    bool by_time = false;  ///< SearchLimit::seconds ended it
};

class SearchBudget {
 public:
    explicit SearchBudget(const SearchLimit& limit) : limit_(limit) {}

    /// Counts a candidate. Returns false if the budget is spent.
    bool spend() {
        if (is_spent()) return false;
        ++spent_.candidates;
        return true;
    }
    const SearchSpent& spent() const { return spent_; }

    /// True if the budget is not spent. Otherwise records that candidates were left.
    bool has_left() { return !is_spent(); }

    /// Returns a budget of at most `candidates` of the remaining ones. Requires has_left().
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
    /// Adds the candidates of a part. An ended part only ends this budget if time or this budget's
    /// candidates are used up.
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
