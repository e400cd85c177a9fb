// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/gate/compare_baselines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "isa/base/errors.h"
#include "isa/base/stop_request.h"
#include "sim/lab/gate/baseline.h"
#include "sim/lab/gate/compare_sweeps.h"
#include "sim/lab/gate/time_record.h"
#include "sim/trace/trace_diff.h"

namespace okksim::sim::gate {
namespace {

namespace fs = std::filesystem;

// Maximum number of causes and of operators in a result.
constexpr std::size_t kMostReasons = 3;

/// Returns the names of a folder's cases and sweeps.
std::set<std::string> case_names(const fs::path& folder) {
    if (!fs::is_directory(folder)) throw ConfigError(folder.string(), "is not a folder");
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string file = entry.path().filename().string();
        // A case without its time record is also a case: a damaged one.
        for (const std::string end : {kTimeEnd, kFunctionalEnd, kSweepEnd}) {
            if (file.ends_with(end)) names.insert(file.substr(0, file.size() - end.size()));
        }
    }
    if (names.empty()) {
        throw ConfigError(folder.string(), fmt::format("holds no *{}; make one with `okksim "
                                                       "baseline -o DIR`",
                                                       kTimeEnd));
    }
    return names;
}

/// A change of time.
struct Change {
    std::string what;
    double us = 0;
};

using Times = std::vector<std::pair<std::string, double>>;

void add_changes(const std::string& prefix, const Times& base, const Times& next,
                 std::vector<Change>& changes) {
    std::map<std::string, double> difference;
    for (const auto& [name, us] : next) difference[name] += us;
    for (const auto& [name, us] : base) difference[name] -= us;
    for (const auto& [name, us] : difference) changes.push_back({prefix + name, us});
}

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

void compare_outputs(const TimeRecord& base, const TimeRecord& next, CaseComparison& result) {
    for (std::size_t i = 0; i < std::max(base.outputs.size(), next.outputs.size()); ++i) {
        const bool both = i < base.outputs.size() && i < next.outputs.size();
        if (both && base.outputs[i].hash == next.outputs[i].hash) continue;
        result.verdict = Verdict::kChanged;
        const auto& outputs = i < next.outputs.size() ? next.outputs : base.outputs;
        result.reasons.push_back("output " + outputs[i].name + " differs");
        return;
    }
}

void compare_times(const TimeRecord& base, const TimeRecord& next, double threshold,
                   CaseComparison& result) {
    result.base_us = base.simulated_us;
    result.new_us = next.simulated_us;
    result.base_machine = base.machine + " (hash " + base.machine_hash + ")";
    result.new_machine = next.machine + " (hash " + next.machine_hash + ")";
    if (base.machine_hash != next.machine_hash) {
        result.reasons.push_back(fmt::format("another machine: {} ({}) and {} ({})", base.machine,
                                             base.machine_hash, next.machine, next.machine_hash));
    }
    compare_outputs(base, next, result);
    const double change = result.change();
    if (result.verdict == Verdict::kSame && std::abs(change) > threshold) {
        result.verdict = change > 0 ? Verdict::kSlower : Verdict::kFaster;
    }
    const double least_us = 0.1 * std::abs(result.new_us - result.base_us);
    for (auto& words : largest_towards(changes_of_causes(base, next),
                                       next.simulated_us - base.simulated_us, least_us)) {
        result.reasons.push_back(std::move(words));
    }
    for (auto& words : operators_of(base, next, threshold, least_us)) {
        result.reasons.push_back(std::move(words));
    }
}

/// Compares the causes of equal commands with equal times. They must be equal, except for changes
/// within the threshold of the total.
void compare_causes(const TimeRecord& base, const TimeRecord& next, double threshold,
                    CaseComparison& result) {
    std::vector<Change> changes = changes_of_causes(base, next);
    std::erase_if(changes, [&](const Change& change) {
        return std::abs(change.us) <= threshold * base.simulated_us;
    });
    if (changes.empty()) return;
    result.verdict = Verdict::kChanged;
    for (const std::string& words : largest(std::move(changes), 0)) {
        result.reasons.push_back("the same commands, but other causes of time: " + words);
    }
}

/// Throws ConfigError unless commands and times of a case are from one machine.
void require_one_machine(const fs::path& place, const Machine& commands, const TimeRecord& times) {
    const std::string hash = fmt::format("{:016x}", commands.hash());
    if (hash == times.machine_hash) return;
    throw ConfigError(place.string(),
                      fmt::format("its commands are of machine {} ({}), but its times are of {} "
                                  "({}); make the folder again with `okksim baseline -o DIR`",
                                  commands.name, hash, times.machine, times.machine_hash));
}

/// Returns true if the commands are equal.
bool compare_results(const fs::path& base_folder, const fs::path& next_folder,
                     const TimeRecord& base, const TimeRecord& next, CaseComparison& result) {
    const auto comparison = trace::compare_traces(base_folder / (result.name + kFunctionalEnd),
                                                  next_folder / (result.name + kFunctionalEnd));
    require_one_machine(base_folder / result.name, comparison.machine_a, base);
    require_one_machine(next_folder / result.name, comparison.machine_b, next);
    if (comparison.command) {
        result.reasons.push_back(fmt::format("first command that differs, entry {}: {} | {}",
                                             comparison.command->entry, comparison.command->a,
                                             comparison.command->b));
    }
    if (comparison.data) {
        result.verdict = Verdict::kChanged;
        result.reasons.push_back(fmt::format("first data that differs, entry {}: {}",
                                             comparison.data->entry, comparison.data->a));
    }
    return !comparison.command;
}

CaseComparison compare_case(const std::string& name, const fs::path& base, const fs::path& next,
                            double threshold) {
    CaseComparison result;
    result.name = name;
    try {
        if (fs::exists(base / (name + kSweepEnd))) {
            result = compare_sweep_records(load_sweep_record(base / (name + kSweepEnd)),
                                           load_sweep_record(next / (name + kSweepEnd)), threshold);
            result.name = name;
            return result;
        }
        const TimeRecord base_times = load_time_record(base / (name + kTimeEnd));
        const TimeRecord next_times = load_time_record(next / (name + kTimeEnd));
        compare_times(base_times, next_times, threshold, result);
        const bool same_commands = compare_results(base, next, base_times, next_times, result);
        if (same_commands && base_times.machine_hash == next_times.machine_hash &&
            result.verdict == Verdict::kSame) {
            compare_causes(base_times, next_times, threshold, result);
        }
    } catch (const ConfigError& error) {
        result.verdict = Verdict::kDamaged;
        result.reasons = {error.what()};
    }
    return result;
}

/// Returns the result for a case that only the new folder has. There is no comparison, but the case
/// must be valid.
CaseComparison added_case(const std::string& name, const fs::path& next) {
    CaseComparison result{name, Verdict::kAdded, 0, 0, {}};
    try {
        if (fs::exists(next / (name + kSweepEnd))) {
            (void)load_sweep_record(next / (name + kSweepEnd));
        } else {
            result.new_us = load_time_record(next / (name + kTimeEnd)).simulated_us;
        }
    } catch (const ConfigError& error) {
        result.verdict = Verdict::kDamaged;
        result.reasons = {error.what()};
    }
    return result;
}

}  // namespace

std::vector<CaseComparison> compare_baselines(const fs::path& base, const fs::path& next,
                                              double threshold) {
    const std::set<std::string> base_names = case_names(base);
    const std::set<std::string> next_names = case_names(next);
    std::vector<CaseComparison> cases;
    for (const std::string& name : base_names) {
        if (StopRequest::signal() != 0) return cases;
        if (next_names.count(name) != 0) {
            cases.push_back(compare_case(name, base, next, threshold));
        } else {
            cases.push_back({name, Verdict::kMissing, 0, 0, {"no longer recorded"}});
        }
    }
    for (const std::string& name : next_names) {
        if (base_names.count(name) == 0) cases.push_back(added_case(name, next));
    }
    return cases;
}

}  // namespace okksim::sim::gate
