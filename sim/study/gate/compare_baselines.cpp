// SPDX-License-Identifier: Apache-2.0
#include "sim/study/gate/compare_baselines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "isa/base/errors.h"
#include "isa/base/stop_request.h"
#include "sim/study/gate/baseline_files.h"
#include "sim/study/gate/compare_records.h"
#include "sim/study/gate/compare_sweeps.h"
#include "sim/study/gate/filter_file.h"
#include "sim/study/gate/time_changes.h"
#include "sim/trace/trace_diff.h"

namespace okksim::sim::gate {
namespace {

namespace fs = std::filesystem;

/// Returns the names of a folder's cases and sweeps.
std::set<std::string> case_names(const fs::path& folder) {
    constexpr const char* kRecordings = "`okksim trace diff` compares two recordings";
    if (!fs::is_directory(folder)) {
        throw ConfigError(folder.string(),
                          fmt::format("is not a folder of `okksim baseline`; {}", kRecordings));
    }
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string file = entry.path().filename().string();
        // A case without its time record is also a case: a damaged one.
        for (const std::string end : {kTimeEnd, kFunctionalEnd, kSweepEnd}) {
            if (file.ends_with(end)) names.insert(file.substr(0, file.size() - end.size()));
        }
    }
    if (names.empty()) {
        throw ConfigError(folder.string(),
                          fmt::format("holds no *{}; make one with `okksim baseline -o DIR`; {}",
                                      kTimeEnd, kRecordings));
    }
    return names;
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

/// Compares the operators of equal commands with equal times. An edited value changes them alone.
void compare_operators(const TimeRecord& base, const TimeRecord& next, CaseComparison& result) {
    constexpr double kRounding = 1e-9;
    const bool same = std::ranges::equal(
        base.operators, next.operators, [&](const OperatorTime& a, const OperatorTime& b) {
            return a.name == b.name && std::abs(a.us - b.us) <= kRounding * base.simulated_us;
        });
    if (same || std::abs(base.simulated_us - next.simulated_us) > kRounding * base.simulated_us) {
        return;
    }
    result.verdict = Verdict::kChanged;
    result.reasons.push_back("the same commands, but other times of operators");
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

/// Throws ConfigError unless the commands are those of the case, and take the time of its record.
void require_own_commands(const fs::path& place, const std::string& launch,
                          const trace::Account& account, const TimeRecord& times) {
    constexpr double kRounding = 1e-9;
    const std::string file = place.string() + kFunctionalEnd;
    constexpr const char* kAdvice = "make the folder again with `okksim baseline -o DIR`";
    if (launch != times.name) {
        throw ConfigError(file, fmt::format("holds the commands of \"{}\" instead of \"{}\"; {}",
                                            launch, times.name, kAdvice));
    }
    const double us = account.span.microseconds();
    if (std::abs(us - times.simulated_us) <= kRounding * times.simulated_us) return;
    throw ConfigError(file, fmt::format("its commands take {} us, but its record of times has {} "
                                        "us; {}",
                                        us, times.simulated_us, kAdvice));
}

/// Returns true if the commands are equal.
bool compare_results(const fs::path& base_folder, const fs::path& next_folder,
                     const TimeRecord& base, const TimeRecord& next, CaseComparison& result) {
    const auto comparison = trace::compare_traces(base_folder / (result.name + kFunctionalEnd),
                                                  next_folder / (result.name + kFunctionalEnd));
    require_one_machine(base_folder / result.name, comparison.machine_a, base);
    require_one_machine(next_folder / result.name, comparison.machine_b, next);
    require_own_commands(base_folder / result.name, comparison.launch_a, comparison.account_a,
                         base);
    require_own_commands(next_folder / result.name, comparison.launch_b, comparison.account_b,
                         next);
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

/// True if the folder has only times of the case, as `okksim gate --write` records it.
bool is_of_gate(const fs::path& folder, const TimeRecord& times, const std::string& name) {
    return times.totals && !fs::exists(folder / (name + kFunctionalEnd));
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
        compare_records(base_times, next_times, threshold, result);
        if (is_of_gate(base, base_times, name) && is_of_gate(next, next_times, name)) return result;
        const bool same_commands = compare_results(base, next, base_times, next_times, result);
        if (same_commands && base_times.machine_hash == next_times.machine_hash &&
            result.verdict == Verdict::kSame) {
            compare_causes(base_times, next_times, threshold, result);
            compare_operators(base_times, next_times, result);
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
    const FilterFile base_filters(base);
    const FilterFile next_filters(next);
    std::vector<CaseComparison> cases;
    const auto leave_out = [&cases](const std::string& name, const char* side) {
        cases.push_back({name,
                         Verdict::kLeftOut,
                         0,
                         0,
                         {fmt::format("the --filter of {} does not select it", side)}});
    };
    for (const std::string& name : base_names) {
        if (StopRequest::signal() != 0) return cases;
        if (next_names.count(name) != 0) {
            cases.push_back(compare_case(name, base, next, threshold));
        } else if (!next_filters.selects(name)) {
            leave_out(name, "NEW");
        } else {
            cases.push_back({name, Verdict::kMissing, 0, 0, {"no longer recorded"}});
        }
    }
    for (const std::string& name : next_names) {
        if (base_names.count(name) != 0) continue;
        if (base_filters.selects(name)) {
            cases.push_back(added_case(name, next));
        } else {
            leave_out(name, "BASE");
        }
    }
    if (std::ranges::all_of(
            cases, [](const CaseComparison& each) { return each.verdict == Verdict::kLeftOut; })) {
        throw ConfigError(next.string(), "has no case of " + base.string() +
                                             ": their filters (--filter) select different cases");
    }
    return cases;
}

}  // namespace okksim::sim::gate
