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
#include "sim/study/sweep/labels.h"
#include "sim/study/sweep/point_names.h"

namespace okksim::sim::sweep {
namespace {

constexpr std::size_t kShownSteps = 10;
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

/// Returns the position of a row on an axis: its number, or the position within a bundle.
std::optional<Placed> place_on(const Axis& axis, const PointSettings& settings) {
    const std::string text = axis_label(axis, settings);
    if (text.empty()) return std::nullopt;
    const auto own = std::ranges::find(settings, axis.name, &PointSettings::value_type::first);
    if (own != settings.end()) {
        const auto number = number_of(own->second);
        return number ? std::optional(Placed{*number, text}) : std::nullopt;
    }
    const auto value = std::ranges::find(axis.values, text, &AxisValue::text);
    return Placed{static_cast<double>(value - axis.values.begin()), text};
}

void add_steps(const SweepSpec& spec, const Axis& axis, const std::vector<MachineRow>& rows,
               std::vector<ValueStep>& steps) {
    // Machines that differ only on this axis, for each workload.
    std::map<std::pair<std::string, std::string>, std::vector<Placed>> lines;
    const std::vector<std::string> parameters = axis.parameters();
    for (const MachineRow& row : rows) {
        std::optional<Placed> placed = place_on(axis, row.settings);
        if (!placed) continue;
        PointSettings others = row.settings;
        std::erase_if(others, [&](const auto& setting) {
            return std::ranges::count(parameters, setting.first) > 0;
        });
        const std::string label = others.empty() ? "" : machine_label(spec, others);
        for (const StoredPoint* point : row.points) {
            placed->point = point;
            lines[{point->workload, label}].push_back(*placed);
        }
    }
    for (auto& [key, line] : lines) {
        std::ranges::stable_sort(line, {}, &Placed::number);
        for (std::size_t i = 1; i < line.size(); ++i) {
            std::optional<ValueStep> step = step_between(line[i - 1], line[i]);
            if (!step) continue;
            step->parameter = axis.name;
            step->workload = key.first;
            step->others = key.second;
            steps.push_back(*std::move(step));
        }
    }
}

/// Adds a step to the mean that it belongs to. Factors are sums of logarithms until finish().
void add_to(StepMean& mean, const ValueStep& step, std::map<std::string, double>& causes) {
    ++mean.pairs;
    mean.us += std::log(step.us_to / step.us_from);
    mean.bound += std::log(step.bound_to / step.bound_from);
    mean.dram_bytes += step.dram_bytes;
    for (const auto& [name, change] : step.causes) causes[name] += change;
}

void finish(StepMean& mean, const std::map<std::string, double>& causes) {
    const auto pairs = static_cast<double>(mean.pairs);
    mean.us = std::exp(mean.us / pairs);
    mean.bound = std::exp(mean.bound / pairs);
    mean.dram_bytes /= pairs;
    if (causes.empty()) return;
    const auto largest =
        std::ranges::max_element(causes, {}, [](const auto& c) { return c.second; });
    const auto least = std::ranges::min_element(causes, {}, [](const auto& c) { return c.second; });
    const auto& chosen = largest->second > 0 ? *largest : *least;
    mean.cause = chosen.first;
    mean.cause_us = chosen.second / pairs;
}

bool is_alike(const StepMean& mean) { return std::abs(mean.us / mean.bound - 1) <= kAlike; }

std::string reason_text(const StepMean& mean) {
    return mean.cause.empty()
               ? ""
               : fmt::format("{} {:+.0f} us", cause_label(mean.cause), mean.cause_us);
}

std::string means_table(const std::vector<StepMean>& means) {
    std::string text = fmt::format(" {:<30} {:>10} {:>10} {:>6} {:>9} {:>11}  {}\n", "axis", "from",
                                   "to", "pairs", "gained %", "possible %", "largest cause");
    for (const StepMean& mean : means) {
        text += fmt::format(" {:<30} {:>10} {:>10} {:>6} {:>9} {:>11}  {}, DRAM {}\n",
                            mean.parameter, mean.from, mean.to, mean.pairs,
                            percent_label(mean.gained()), percent_label(mean.possible()),
                            reason_text(mean), bytes_change_label(mean.dram_bytes));
    }
    return text;
}

}  // namespace

bool ValueStep::follows_bound() const { return std::abs(beside_bound() - 1) <= kAlike; }

std::vector<ValueStep> value_steps(const PointTable& table, const std::vector<MachineRow>& rows) {
    std::vector<ValueStep> steps;
    for (const Axis& axis : table.spec().axes) add_steps(table.spec(), axis, rows, steps);
    return steps;
}

std::vector<StepMean> step_means(const std::vector<ValueStep>& steps, bool by_workload) {
    std::vector<StepMean> means;
    std::vector<std::map<std::string, double>> causes;
    for (const ValueStep& step : steps) {
        const std::string workload = by_workload ? step.workload : "";
        auto mean = std::ranges::find_if(means, [&](const StepMean& known) {
            return known.parameter == step.parameter && known.from == step.from &&
                   known.to == step.to && known.workload == workload;
        });
        if (mean == means.end()) {
            means.push_back({step.parameter, step.from, step.to, workload, 0, 0, 0, "", 0, 0});
            causes.emplace_back();
            mean = means.end() - 1;
        }
        add_to(*mean, step, causes[static_cast<std::size_t>(mean - means.begin())]);
    }
    for (std::size_t i = 0; i < means.size(); ++i) finish(means[i], causes[i]);
    return means;
}

std::string step_sentence(const StepMean& step) {
    std::string text =
        fmt::format("{} from {} to {} {} {} % of the time, possible {} %", step.parameter,
                    step.from, step.to, step.us > 1 ? "lost" : "gained",
                    percent_label(std::abs(step.gained())), percent_label(step.possible()));
    if (!is_alike(step) && step.cause_us > 0) text += ", because " + reason_text(step);
    if (!step.workload.empty()) text = step.workload + ": " + text;
    return text + ".";
}

std::string value_steps_text(const PointTable& table, const std::vector<MachineRow>& rows) {
    const std::vector<ValueStep> steps = value_steps(table, rows);
    if (steps.empty()) return "";
    const std::vector<StepMean> all = step_means(steps, false);
    std::string text =
        "Gain of each axis in time, and by the reachable bound (means over pairs of "
        "machines that differ in nothing else, and over workloads):\n" +
        means_table(all);
    const auto alike = std::ranges::count_if(steps, &ValueStep::follows_bound);
    text += fmt::format("The gain equals the possible one (within {:.0f} %) for {} of {} pairs.",
                        100 * kAlike, alike, steps.size());
    std::vector<StepMean> missed = step_means(steps, true);
    std::erase_if(missed, [](const StepMean& mean) { return is_alike(mean); });
    if (missed.empty()) return text + "\n";
    std::ranges::stable_sort(missed, std::greater{},
                             [](const StepMean& mean) { return mean.us / mean.bound; });
    text += " The others, by workload, least gain first:\n";
    for (std::size_t i = 0; i < std::min(missed.size(), kShownSteps); ++i) {
        text += " " + step_sentence(missed[i]) + "\n";
    }
    if (missed.size() > kShownSteps) {
        text += fmt::format(" ... {} more; `--csv` has every point\n", missed.size() - kShownSteps);
    }
    return text;
}

}  // namespace okksim::sim::sweep
