// SPDX-License-Identifier: Apache-2.0
#include "sim/study/gate/compare_sweeps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sim/study/sweep/machine_rows.h"

namespace okksim::sim::gate {
namespace {

// Maximum number of causes, and of machines of a kind, in a result.
constexpr std::size_t kMostNamed = 3;

/// A machine in both records.
struct Pair {
    const SweepPoint* base = nullptr;
    const SweepPoint* next = nullptr;

    bool runs() const { return base->failure.empty() && next->failure.empty(); }
    /// Returns the change of an objective as a share.
    double change(std::size_t objective) const {
        const double before = base->objectives[objective], after = next->objectives[objective];
        return before == after ? 0 : (after - before) / std::abs(before);
    }
    bool moved() const { return runs() && base->objectives != next->objectives; }
};

std::set<std::string> front_of(const SweepRecord& record) {
    std::vector<sweep::MachineRow> rows;
    for (const SweepPoint& point : record.points) rows.push_back({{}, {}, point.objectives});
    std::set<std::string> front;
    for (const std::size_t row : sweep::front_of(rows)) front.insert(record.points[row].settings);
    return front;
}

/// Returns e.g. "bdc dram bandwidth" for "bdc_dram_bandwidth_us".
std::string words_of(const std::string& figure) {
    std::string words = figure.substr(0, figure.size() - 3);
    std::ranges::replace(words, '_', ' ');
    return words;
}

/// Returns the largest changes of the engines' time by cause, in the direction of the total change.
/// They are means over the machines. Idle time follows from the rest.
std::string causes_of(const std::vector<Pair>& pairs) {
    double direction = 0;
    for (const Pair& pair : pairs) direction += pair.next->figure("us") - pair.base->figure("us");
    std::vector<std::pair<std::string, double>> changes;
    for (const auto& engine : sweep::cause_figures()) {
        for (const std::string& name : engine) {
            if (name.ends_with("_idle_us")) continue;
            double sum = 0;
            for (const Pair& pair : pairs) sum += pair.next->figure(name) - pair.base->figure(name);
            if (sum * direction > 0)
                changes.emplace_back(name, sum / static_cast<double>(pairs.size()));
        }
    }
    std::ranges::stable_sort(changes, std::greater{},
                             [](const auto& change) { return std::abs(change.second); });
    std::string text;
    for (std::size_t i = 0; i < std::min(changes.size(), kMostNamed); ++i) {
        text += fmt::format("{}{:+.2f} us {}", text.empty() ? "" : ", ", changes[i].second,
                            words_of(changes[i].first));
    }
    return text.empty() ? "with the same time by cause" : text;
}

class SweepComparison {
 public:
    SweepComparison(const SweepRecord& base, const SweepRecord& next, double threshold)
        : base_(base), next_(next), threshold_(threshold) {
        result_.name = base.name;
        result_.base_machine = base.machine + " (hash " + base.machine_hash + ")";
        result_.new_machine = next.machine + " (hash " + next.machine_hash + ")";
    }

    CaseComparison compare() {
        if (base_.machine_hash != next_.machine_hash) {
            result_.reasons.push_back(fmt::format("another machine: {} ({}) and {} ({})",
                                                  base_.machine, base_.machine_hash, next_.machine,
                                                  next_.machine_hash));
        }
        if (!match()) return std::move(result_);
        compare_times();
        compare_runs();
        compare_objectives();
        compare_figures();
        compare_fronts();
        return std::move(result_);
    }

 private:
    /// True if both records are from the same sweep.
    bool match() {
        std::map<std::string, const SweepPoint*> points;
        for (const SweepPoint& point : base_.points) points[point.settings] = &point;
        for (const SweepPoint& point : next_.points) {
            const auto found = points.find(point.settings);
            if (found != points.end()) pairs_[point.settings] = {found->second, &point};
        }
        const std::size_t common = pairs_.size();
        if (base_.objectives == next_.objectives && common == points.size() &&
            common == next_.points.size()) {
            return true;
        }
        result_.verdict = Verdict::kChanged;
        result_.reasons.push_back(
            fmt::format("another sweep: {} and {} machines, of which {} are in both{}",
                        base_.points.size(), next_.points.size(), common,
                        base_.objectives == next_.objectives ? "" : "; other objectives"));
        return false;
    }

    /// Compares times; time is the first objective of a sweep.
    void compare_times() {
        double before = 0, after = 0, count = 0;
        for (const auto& [settings, pair] : pairs_) {
            const double a = pair.base->figure("us"), b = pair.next->figure("us");
            if (!pair.runs() || !(a > 0) || !(b > 0)) continue;
            before += std::log(a);
            after += std::log(b);
            ++count;
        }
        if (count == 0) return;
        result_.base_us = std::exp(before / count);
        result_.new_us = std::exp(after / count);
    }

    void compare_runs() {
        for (const auto& [settings, pair] : pairs_) {
            if (pair.base->failure == pair.next->failure) continue;
            const bool fails = !pair.next->failure.empty();
            if (fails) result_.verdict = Verdict::kChanged;
            result_.reasons.push_back(
                settings + (fails ? ": " + pair.next->failure : " runs now, but failed before"));
        }
    }

    void compare_objectives() {
        std::vector<Pair> moved;
        double least = 0, most = 0;
        for (const auto& [settings, pair] : pairs_) {
            if (!pair.moved()) continue;
            moved.push_back(pair);
            for (std::size_t i = 0; i < base_.objectives.size(); ++i) {
                least = std::min(least, pair.change(i));
                most = std::max(most, pair.change(i));
            }
        }
        if (moved.empty()) return;
        if (result_.verdict == Verdict::kSame && most > threshold_) {
            result_.verdict = Verdict::kSlower;
        }
        if (result_.verdict == Verdict::kSame && least < -threshold_) {
            result_.verdict = Verdict::kFaster;
        }
        result_.reasons.push_back(fmt::format("{} of {} machines changed; on average {}",
                                              moved.size(), pairs_.size(), causes_of(moved)));
        const auto largest = std::ranges::max(moved, {}, [&](const Pair& pair) {
            double change = 0;
            for (std::size_t i = 0; i < base_.objectives.size(); ++i) {
                change = std::max(change, std::abs(pair.change(i)));
            }
            return change;
        });
        result_.reasons.push_back("largest change: " + machine_text(largest));
    }

    /// Machines with equal objectives must have equal values of all metrics.
    void compare_figures() {
        if (base_.machine_hash != next_.machine_hash) return;
        std::size_t count = 0;
        for (const auto& [settings, pair] : pairs_) {
            if (!pair.runs() || pair.moved() || pair.base->figures == pair.next->figures) continue;
            result_.verdict = Verdict::kChanged;
            if (++count > 1) continue;
            const auto& figures = pair.base->figures.size() < pair.next->figures.size()
                                      ? pair.next->figures
                                      : pair.base->figures;
            for (const auto& [name, value] : figures) {
                const double before = pair.base->figure(name), after = pair.next->figure(name);
                if (before == after) continue;
                result_.reasons.push_back(
                    fmt::format("the same objectives, but other values: {}: {} {:.6g} -> {:.6g}",
                                settings, name, before, after));
                break;
            }
        }
        if (count > 1) {
            result_.reasons.push_back(fmt::format("other values on {} more machines", count - 1));
        }
    }

    void compare_fronts() {
        const std::set<std::string> before = front_of(base_), after = front_of(next_);
        if (before == after) return;
        if (result_.verdict != Verdict::kChanged) result_.verdict = Verdict::kMoved;
        name_machines("left the Pareto front", before, after);
        name_machines("joined the Pareto front", after, before);
    }

    /// Names the machines in `these` that are not in `others`.
    void name_machines(const std::string& what, const std::set<std::string>& these,
                       const std::set<std::string>& others) {
        std::size_t count = 0;
        for (const std::string& settings : these) {
            if (others.contains(settings) || ++count > kMostNamed) continue;
            const Pair& pair = pairs_.at(settings);
            std::string why = pair.moved()  ? machine_text(pair)
                              : pair.runs() ? settings + ": unchanged, other machines changed"
                                            : settings;
            result_.reasons.push_back(what + ": " + why);
        }
        if (count > kMostNamed) {
            result_.reasons.push_back(fmt::format("{}: {} more", what, count - kMostNamed));
        }
    }

    /// Returns e.g. "chip.lanes=16: us 100 -> 110 (+10.00 %), +9.80 us bdc busy".
    std::string machine_text(const Pair& pair) const {
        std::string text = pair.base->settings + ":";
        for (std::size_t i = 0; i < base_.objectives.size(); ++i) {
            if (pair.change(i) == 0) continue;
            text += fmt::format(" {} {:.6g} -> {:.6g} ({:+.2f} %),", base_.objectives[i],
                                pair.base->objectives[i], pair.next->objectives[i],
                                100 * pair.change(i));
        }
        return text + " " + causes_of({pair});
    }

    const SweepRecord& base_;
    const SweepRecord& next_;
    double threshold_;
    std::map<std::string, Pair> pairs_;  ///< by settings
    CaseComparison result_;
};

}  // namespace

CaseComparison compare_sweep_records(const SweepRecord& base, const SweepRecord& next,
                                     double threshold) {
    return SweepComparison(base, next, threshold).compare();
}

}  // namespace okksim::sim::gate
