// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/value_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "sim/study/sweep/effects.h"
#include "sim/study/sweep/figures.h"
#include "sim/study/sweep/point_names.h"

namespace okksim::sim::sweep {
namespace {

constexpr std::size_t kShownSteps = 20;
constexpr std::size_t kCauses = 3;
constexpr double kAlike = 0.1;

/// A machine's value of a parameter, and the result of a workload on that machine.
struct Placed {
    double number = 0;
    std::string text;
    const StoredPoint* point = nullptr;
};

/// Returns the causes that changed most, for the engine that is busiest on the second machine.
std::vector<std::pair<std::string, double>> changed_causes(const Figures& from, const Figures& to) {
    const std::vector<std::string>* most = nullptr;
    double longest = -1;
    for (const std::vector<std::string>& engine : cause_figures()) {
        const double busy = to.get(engine.front()).value_or(0);
        // The control processor (last) is skipped: the other engines' waits already show its time.
        if (&engine == &cause_figures().back() || busy <= longest) continue;
        longest = busy;
        most = &engine;
    }
    std::vector<std::pair<std::string, double>> changes;
    if (most == nullptr) return changes;
    for (const std::string& name : *most) {
        const double change = to.get(name).value_or(0) - from.get(name).value_or(0);
        if (change != 0) changes.emplace_back(name, change);
    }
    std::ranges::stable_sort(changes, std::greater{},
                             [](const auto& change) { return std::abs(change.second); });
    changes.resize(std::min(changes.size(), kCauses));
    return changes;
}

std::optional<ValueStep> step_between(const Placed& from, const Placed& to) {
    const Figures& before = from.point->result.figures;
    const Figures& after = to.point->result.figures;
    ValueStep step;
    const auto get = [](const Figures& figures, const char* name, double& value) {
        const std::optional<double> found = figures.get(name);
        value = found.value_or(0);
        return found && *found > 0;
    };
    if (!get(before, "us", step.us_from) || !get(after, "us", step.us_to) ||
        !get(before, "reachable_bound_us", step.bound_from) ||
        !get(after, "reachable_bound_us", step.bound_to)) {
        return std::nullopt;
    }
    step.from = from.text;
    step.to = to.text;
    step.causes = changed_causes(before, after);
    for (const char* traffic : {"dram_read_bytes", "dram_written_bytes"}) {
        step.dram_bytes += after.get(traffic).value_or(0) - before.get(traffic).value_or(0);
    }
    return step;
}

void add_steps(const std::string& parameter, const std::vector<MachineRow>& rows,
               std::vector<ValueStep>& steps) {
    // Machines that differ only in this parameter, for each workload.
    std::map<std::pair<std::string, std::string>, std::vector<Placed>> lines;
    for (const MachineRow& row : rows) {
        PointSettings others = row.settings;
        const auto own = std::ranges::find(others, parameter, &PointSettings::value_type::first);
        if (own == others.end()) continue;
        const std::string text = own->second;
        const std::optional<double> number = number_of(text);
        if (!number) continue;
        others.erase(own);
        const std::string label = others.empty() ? "" : settings_label(others);
        for (const StoredPoint* point : row.points) {
            lines[{point->workload, label}].push_back({*number, text, point});
        }
    }
    for (auto& [key, line] : lines) {
        std::ranges::stable_sort(line, {}, &Placed::number);
        for (std::size_t i = 1; i < line.size(); ++i) {
            std::optional<ValueStep> step = step_between(line[i - 1], line[i]);
            if (!step) continue;
            step->parameter = parameter;
            step->workload = key.first;
            step->others = key.second;
            steps.push_back(*std::move(step));
        }
    }
}

/// Returns e.g. "bdc memory bandwidth" for "bdc_memory_bandwidth_us".
std::string cause_words(std::string name) {
    constexpr std::string_view kUnit = "_us";
    if (name.ends_with(kUnit)) name.resize(name.size() - kUnit.size());
    std::ranges::replace(name, '_', ' ');
    return name;
}

std::string step_text(const ValueStep& step) {
    std::string causes;
    for (const auto& [name, change] : step.causes) {
        causes += fmt::format("{} {:+.1f} us, ", cause_words(name), change);
    }
    constexpr double kMega = 1e6;
    const auto gain = [](double from, double to) { return 100 * (1 - to / from); };
    return fmt::format(
        " {:<28} {:>9} {:>9} {:>20} {:>20} {:>7.0f} {:>9.0f}  {}DRAM {:+.2f} MB{}{}\n",
        step.parameter, step.from, step.to,
        fmt::format("{:.1f} to {:.1f}", step.us_from, step.us_to),
        fmt::format("{:.1f} to {:.1f}", step.bound_from, step.bound_to),
        gain(step.us_from, step.us_to), gain(step.bound_from, step.bound_to), causes,
        step.dram_bytes / kMega, step.workload.empty() ? "" : "; " + step.workload,
        step.others.empty() ? "" : "; " + step.others);
}

}  // namespace

bool ValueStep::follows_bound() const { return std::abs(beside_bound() - 1) <= kAlike; }

std::vector<ValueStep> value_steps(const PointTable& table, const std::vector<MachineRow>& rows) {
    std::vector<ValueStep> steps;
    for (const std::string& parameter : table.parameters()) add_steps(parameter, rows, steps);
    return steps;
}

std::string value_steps_text(const PointTable& table, const std::vector<MachineRow>& rows) {
    const std::vector<ValueStep> steps = value_steps(table, rows);
    if (steps.empty()) return "";
    std::vector<const ValueStep*> others;
    for (const ValueStep& step : steps) {
        if (!step.follows_bound()) others.push_back(&step);
    }
    std::string text = fmt::format(
        "Steps along each axis: does the time improve as much as the reachable bound?\n"
        "Yes (within {:.0f} %) for {} of {} steps.",
        100 * kAlike, steps.size() - others.size(), steps.size());
    if (others.empty()) return text + "\n";
    text += fmt::format(" The others:\n {:<28} {:>9} {:>9} {:>20} {:>20} {:>7} {:>9}  {}\n", "axis",
                        "from", "to", "us", "bound us", "gain %", "possible", "largest changes");
    for (std::size_t i = 0; i < std::min(others.size(), kShownSteps); ++i) {
        text += step_text(*others[i]);
    }
    if (others.size() > kShownSteps) {
        text += fmt::format(" ... {} more\n", others.size() - kShownSteps);
    }
    return text;
}

}  // namespace okksim::sim::sweep
