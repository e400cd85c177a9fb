// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/slower_machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "sim/study/sweep/labels.h"

namespace okksim::sim::sweep {
namespace {

/// All pairs are compared up to this number of machines; beyond it, only the first ones.
constexpr std::size_t kMostMachines = 3000;
/// Relative difference from which a machine counts as slower.
constexpr double kSlower = 1e-4;

constexpr const char* kLocalMemory = "chip.local_memory_bytes";

constexpr int more = 1, less = -1;
constexpr std::pair<const char*, int> kDirections[] = {
#define OKKSIM_DIRECTION(parameter, direction) {parameter, direction},
#include "sim/study/sweep/parameter_directions.def"
#undef OKKSIM_DIRECTION
};

/// A setting of a machine, read once for all comparisons.
struct RankedSetting {
    const std::pair<std::string, std::string>* setting;  ///< path and value
    int direction;
    std::optional<double> number;
};
using RankedSettings = std::vector<RankedSetting>;

RankedSettings ranked(const PointSettings& settings) {
    RankedSettings result;
    for (const auto& setting : settings) {
        result.push_back({&setting, parameter_direction(setting.first), number_of(setting.second)});
    }
    return result;
}

/// Returns 1 if `a` is better than `b`, -1 if it is worse, and 0 if the machines are equal or
/// physics does not say.
int better_of(const RankedSettings& a, const RankedSettings& b) {
    if (a.size() != b.size()) return 0;
    int better = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (*a[i].setting == *b[i].setting) continue;
        const bool is_same = a[i].setting->first == b[i].setting->first;
        if (!is_same || a[i].direction == 0 || !a[i].number || !b[i].number) return 0;
        if (*a[i].number == *b[i].number) continue;
        const int sign = *a[i].number > *b[i].number ? a[i].direction : -a[i].direction;
        if (better != 0 && better != sign) return 0;
        better = sign;
    }
    return better;
}

std::map<std::string, const StoredPoint*> times_of(const MachineRow& row) {
    std::map<std::string, const StoredPoint*> points;
    for (const StoredPoint* point : row.points) {
        if (point->result.figures.get("us").value_or(0) > 0) points[point->workload] = point;
    }
    return points;
}

void compare_rows(const std::map<std::string, const StoredPoint*>& better,
                  const std::map<std::string, const StoredPoint*>& worse,
                  std::map<std::string, SlowerMachine>& found) {
    for (const auto& [workload, point] : better) {
        const auto other = worse.find(workload);
        if (other == worse.end()) continue;
        const double us = *point->result.figures.get("us");
        const double us_worse = *other->second->result.figures.get("us");
        if (us <= us_worse * (1 + kSlower)) continue;
        SlowerMachine& most = found[workload];
        const std::size_t pairs = most.pairs + 1;
        if (pairs == 1 || us * most.us_worse > us_worse * most.us_better) {
            most = {point, other->second, us, us_worse, 0};
        }
        most.pairs = pairs;
    }
}

std::string quoted(const std::string& text) {
    const bool is_plain = text.find_first_not_of(
                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVW"
                              "XYZ0123456789_./=-+") == std::string::npos;
    return is_plain && !text.empty() ? text : "'" + text + "'";
}

std::string machine_flags(const SweepSpec& spec, const PointSettings& settings) {
    std::string flags = spec.machine == "bm1684" ? "" : " --machine " + quoted(spec.machine);
    for (const std::string& setting : spec.settings) flags += " --set " + quoted(setting);
    for (const auto& [path, value] : settings) {
        if (!is_of_run(path)) flags += " --set " + quoted(path + '=' + value);
    }
    return flags;
}

/// Returns the commands that run the worse machine's plan on the better one.
std::string plan_commands(const SweepSpec& spec, const WorkloadSpec& workload,
                          const SlowerMachine& slower) {
    if (workload.graph.empty() && workload.zoo.empty()) return "";
    std::string graph = quoted(workload.graph.string()), first;
    if (!workload.zoo.empty()) {
        std::map<std::string, std::string> options = workload.zoo_options;
        for (const auto& [path, value] : workload.variant) options[path.substr(4)] = value;
        first = "okksim zoo " + quoted(workload.zoo);
        for (const auto& [name, value] : options) first += " --" + name + " " + quoted(value);
        first += " -o net && ";
        graph = "net/model.tosa";
    }
    const std::string effort = spec.effort == 1 ? "" : fmt::format(" -O{}", spec.effort);
    // `run --plan` accepts a plan for the same local memory only.
    PointSettings runs = slower.better->settings;
    std::string note;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (runs[i].first != kLocalMemory || runs[i] == slower.worse->settings[i]) continue;
        runs[i] = slower.worse->settings[i];
        note = fmt::format(" with the local memory ({}) that the plan uses",
                           value_label(runs[i].first, runs[i].second));
    }
    return fmt::format(
        " Run the worse machine's plan on the better one{}: `{}okksim plan {}{}{} "
        "--json=plan.json && okksim run {} --no-data --plan plan.json{}`",
        note, first, graph, effort, machine_flags(spec, slower.worse->settings), graph,
        machine_flags(spec, runs));
}

}  // namespace

int parameter_direction(const std::string& parameter) {
    const std::string path = path_of_today(parameter);
    for (const auto& [name, direction] : kDirections) {
        if (path == name) return direction;
    }
    return 0;
}

std::vector<SlowerMachine> slower_machines(const std::vector<MachineRow>& rows) {
    std::map<std::string, SlowerMachine> found;
    std::vector<RankedSettings> settings;
    std::vector<std::map<std::string, const StoredPoint*>> times;
    for (std::size_t i = 0; i < std::min(rows.size(), kMostMachines); ++i) {
        settings.push_back(ranked(rows[i].settings));
        times.push_back(times_of(rows[i]));
        for (std::size_t j = 0; j < i; ++j) {
            const int better = better_of(settings[i], settings[j]);
            if (better > 0) compare_rows(times[i], times[j], found);
            if (better < 0) compare_rows(times[j], times[i], found);
        }
    }
    std::vector<SlowerMachine> all;
    for (const auto& [workload, slower] : found) all.push_back(slower);
    return all;
}

std::string slower_machines_text(const PointTable& table, const std::vector<MachineRow>& rows) {
    std::string text;
    for (const SlowerMachine& slower : slower_machines(rows)) {
        const SweepSpec& spec = table.spec();
        const auto workload =
            std::ranges::find(spec.workloads, slower.better->workload, &WorkloadSpec::name);
        if (workload == spec.workloads.end()) continue;
        text += fmt::format(
            "Slower on a better machine: {} takes {:.1f} us on {}, but {:.1f} us on {}, which is "
            "worse in every difference{}.{}\n",
            workload->name, slower.us_better, machine_label(spec, slower.better->settings),
            slower.us_worse, machine_label(spec, slower.worse->settings),
            slower.pairs > 1 ? fmt::format(" ({} such pairs)", slower.pairs) : "",
            plan_commands(spec, *workload, slower));
    }
    return text;
}

}  // namespace okksim::sim::sweep
