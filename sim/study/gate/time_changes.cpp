// SPDX-License-Identifier: Apache-2.0
#include "sim/study/gate/time_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace okksim::sim::gate {
namespace {

// Maximum number of causes and of operators in a result.
constexpr std::size_t kMostReasons = 3;

using Times = std::vector<std::pair<std::string, double>>;

void add_changes(const std::string& prefix, const Times& base, const Times& next,
                 std::vector<Change>& changes) {
    std::map<std::string, double> difference;
    for (const auto& [name, us] : next) difference[name] += us;
    for (const auto& [name, us] : base) difference[name] -= us;
    for (const auto& [name, us] : difference) changes.push_back({prefix + name, us});
}

}  // namespace

/// Returns the largest changes of at least `least_us` as text: "+8.0 us BDC busy: convolution".
std::vector<std::string> largest(std::vector<Change> changes, double least_us) {
    std::erase_if(changes, [&](const Change& change) { return std::abs(change.us) < least_us; });
    std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
        return std::abs(a.us) > std::abs(b.us);
    });
    if (changes.size() > kMostReasons) changes.resize(kMostReasons);
    std::vector<std::string> words;
    for (const Change& change : changes) {
        words.push_back(fmt::format("{:+.2f} us {}", change.us, change.what));
    }
    return words;
}

/// Returns the largest changes in the direction of the total change.
std::vector<std::string> largest_towards(std::vector<Change> changes, double direction,
                                         double least_us) {
    std::erase_if(changes, [&](const Change& change) { return change.us * direction <= 0; });
    return largest(std::move(changes), least_us);
}

/// Returns the changes of the engines' time by cause, and of busy time by kind of work. Idle time
/// follows from the rest.
std::vector<Change> changes_of_causes(const TimeRecord& base, const TimeRecord& next) {
    std::vector<Change> changes;
    for (std::size_t e = 0; e < std::min(base.engines.size(), next.engines.size()); ++e) {
        const EngineTime& a = base.engines[e];
        const EngineTime& b = next.engines[e];
        Times causes_a = a.by_cause;
        Times causes_b = b.by_cause;
        for (Times* times : {&causes_a, &causes_b}) {
            std::erase_if(*times, [](const auto& time) {
                return time.first == "busy" || time.first == "idle";
            });
        }
        add_changes(a.engine + " waiting: ", causes_a, causes_b, changes);
        add_changes(a.engine + " busy: ", a.by_class, b.by_class, changes);
    }
    return changes;
}

std::vector<std::string> operators_of(const TimeRecord& base, const TimeRecord& next,
                                      double threshold, double least_us) {
    std::vector<Change> changes;
    const std::size_t count = std::min(base.operators.size(), next.operators.size());
    for (std::size_t i = 0; i < count; ++i) {
        const OperatorTime& a = base.operators[i];
        const OperatorTime& b = next.operators[i];
        if (a.name != b.name || std::abs(b.us - a.us) <= threshold * a.us) continue;
        changes.push_back({"operator " + a.name, b.us - a.us});
    }
    return largest_towards(std::move(changes), next.simulated_us - base.simulated_us, least_us);
}

}  // namespace okksim::sim::gate
