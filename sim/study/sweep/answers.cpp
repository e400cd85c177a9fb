// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "sim/study/sweep/effects.h"
#include "sim/study/sweep/labels.h"
#include "sim/study/sweep/level_lines.h"
#include "sim/study/sweep/machine_rows.h"
#include "sim/study/sweep/slower_machines.h"
#include "sim/study/sweep/value_steps.h"
#include "sim/study/sweep/workload_notes.h"

namespace okksim::sim::sweep {
namespace {

constexpr std::size_t kShownRows = 20;

/// Results of a workload on the machines of a sweep.
struct WorkloadResults {
    std::size_t finished = 0, failed = 0;
    std::map<std::string, std::size_t> reasons;
    std::size_t without_value = 0;  ///< finished, but an objective has no value
};

/// Returns the most frequent reason.
std::string main_reason(const WorkloadResults& results) {
    return std::ranges::max_element(results.reasons, {},
                                    [](const auto& reason) { return reason.second; })
        ->first;
}

/// Returns the results by workload. Workloads without a result have an entry.
std::map<std::string, WorkloadResults> results_of(const PointTable& table,
                                                  const std::vector<MachineRow>& rows) {
    std::map<std::string, WorkloadResults> workloads;
    for (const WorkloadSpec& workload : table.spec().workloads) workloads[workload.name];
    for (const MachineRow& row : rows) {
        for (const StoredPoint* point : row.points) {
            WorkloadResults& results = workloads[point->workload];
            const std::string& failure = point->result.failure;
            if (!failure.empty()) {
                ++results.failed;
                ++results.reasons[failure];
                continue;
            }
            ++results.finished;
            const bool has_all =
                std::ranges::all_of(table.spec().objectives, [&](const std::string& objective) {
                    return table.value(*point, objective).has_value();
                });
            results.without_value += has_all ? 0 : 1;
        }
    }
    return workloads;
}

/// Explains why there is no Pareto front, by workload.
std::string no_front_text(const PointTable& table, const std::vector<MachineRow>& rows) {
    std::string text = fmt::format(
        "No Pareto front: no machine has a value of every objective ({}) for every workload.\n",
        fmt::join(table.spec().objectives, ", "));
    for (const auto& [name, results] : results_of(table, rows)) {
        const std::size_t missing =
            rows.size() - std::min(rows.size(), results.finished + results.failed);
        if (results.failed > 0) {
            text += fmt::format(" workload {} failed on {} of {} machines: {}\n", name,
                                results.failed, rows.size(), main_reason(results));
        }
        if (missing > 0) {
            text += fmt::format(" workload {} has no result yet on {} of {} machines\n", name,
                                missing, rows.size());
        }
        if (results.without_value > 0) {
            text += fmt::format(" workload {} has no value of an objective on {} of {} machines\n",
                                name, results.without_value, rows.size());
        }
    }
    return text + "Repair or remove these workloads; `--csv` lists the reason of every failure.\n";
}

/// Returns a line per workload or machine that the answers leave out, with the number and the
/// reason.
std::string left_out_text(const PointTable& table, const std::vector<MachineRow>& rows) {
    std::string text;
    for (const auto& [workload, results] : results_of(table, rows)) {
        const std::size_t missing =
            rows.size() - std::min(rows.size(), results.finished + results.failed);
        if (missing > 0) {
            text += fmt::format(
                "Left out: {} of {} machines, on which workload {} has no result "
                "yet; start the sweep again to continue\n",
                missing, rows.size(), workload);
        }
        if (results.failed == 0) continue;
        const bool is_whole = std::ranges::count(table.failed_workloads(), workload) > 0;
        if (results.failed == rows.size() && is_whole) {
            text += fmt::format("Left out: workload {}, which failed on all {} machines: {}\n",
                                workload, rows.size(), main_reason(results));
        } else if (is_whole) {
            text += fmt::format(
                "Left out: workload {}, which failed on {} of {} machines, so that "
                "no machine runs all workloads: {}\n",
                workload, results.failed, rows.size(), main_reason(results));
        } else {
            text += fmt::format("Left out: {} of {} machines, on which workload {} failed: {}\n",
                                results.failed, rows.size(), workload, main_reason(results));
        }
        if (results.reasons.size() > 1) {
            text += fmt::format(" and {} other reasons; `--csv` lists every failure\n",
                                results.reasons.size() - 1);
        }
    }
    return text;
}

/// Returns a note that objectives are means, if a sweep has several workloads.
std::string mean_note(const PointTable& table, const std::vector<MachineRow>& rows,
                      std::size_t first) {
    const std::size_t workloads = table.spec().workloads.size() - table.failed_workloads().size();
    if (workloads < 2) return "";
    std::string note = fmt::format(" (geometric means over {} workloads", workloads);
    for (std::size_t k = 0; k < table.spec().objectives.size(); ++k) {
        if (rows[first].objectives[k] <= 0) {
            note += "; arithmetic means of " + table.spec().objectives[k];
        }
    }
    return note + ")";
}

std::string front_text(const PointTable& table, const std::vector<MachineRow>& rows,
                       const std::vector<std::size_t>& front) {
    const auto knee = knee_of(rows, front);
    std::string text = fmt::format("Pareto front of {}{}: {} of {} machines\n",
                                   fmt::join(table.spec().objectives, ", "),
                                   mean_note(table, rows, front[0]), front.size(), rows.size());
    for (std::size_t i = 0; i < std::min(front.size(), kShownRows); ++i) {
        const MachineRow& row = rows[front[i]];
        for (const double value : row.objectives) text += fmt::format(" {:>14.6g}", value);
        text += "  " + machine_label(table.spec(), row.settings) +
                (knee == front[i] ? "  (knee)" : "") + "\n";
    }
    if (front.size() > kShownRows) {
        text += fmt::format(" ... {} more: --csv, --json\n", front.size() - kShownRows);
    }
    return text;
}

/// Returns the best machine of every workload by the first objective, and what the workload takes
/// on the machine that is best for all.
std::string workloads_text(const PointTable& table, const std::vector<MachineRow>& rows,
                           std::size_t overall) {
    if (table.spec().workloads.size() < 2) return "";
    const std::string& objective = table.spec().objectives[0];
    const auto value_on = [&](const MachineRow& row, const std::string& workload) {
        for (const StoredPoint* point : row.points) {
            if (point->workload != workload || !point->result.failure.empty()) continue;
            return table.value(*point, objective);
        }
        return std::optional<double>();
    };
    std::string text = fmt::format(
        "Best {0} of each workload, and {0} on the machine that is best over all:\n", objective);
    for (const WorkloadSpec& workload : table.spec().workloads) {
        const MachineRow* best = nullptr;
        std::optional<double> least;
        for (const MachineRow& row : rows) {
            const auto value = value_on(row, workload.name);
            if (!value || (least && *value >= *least)) continue;
            least = value;
            best = &row;
        }
        if (best == nullptr) continue;
        const auto there = value_on(rows[overall], workload.name);
        text += fmt::format(" {:<24} {:>14.6g} {:>14}  {}\n", workload.name, *least,
                            there ? fmt::format("{:.6g}", *there) : "-",
                            machine_label(table.spec(), best->settings));
    }
    return text;
}

std::string effects_text(const PointTable& table, const std::vector<MachineRow>& rows) {
    const std::vector<Effect> effects = axis_effects(table, rows);
    std::string text;
    if (!effects.empty()) {
        text = fmt::format("Effect of each axis on {}, averaged over the other axes:\n",
                           table.spec().objectives[0]);
    }
    const auto named = [](const std::string& value) {
        return value.empty() ? "(unchanged)" : value;
    };
    for (std::size_t i = 0; i < std::min(effects.size(), kShownRows); ++i) {
        const Effect& effect = effects[i];
        if (!effect.stands_out && (i == 0 || effects[i - 1].stands_out)) {
            text += " These effects may be chance:\n";
        }
        text += fmt::format(" {:>8.4f}x  {}: best {}, worst {}\n", effect.ratio, effect.parameter,
                            named(effect.best), named(effect.worst));
    }
    std::size_t shown = 0;
    for (const Interaction& pair : axis_interactions(table, rows)) {
        constexpr double kWorthTelling = 1.02;
        if (pair.ratio < kWorthTelling || ++shown > 5) break;
        text += fmt::format(" {:>8.3f}x  interaction of {} and {}, beyond their separate effects\n",
                            pair.ratio, pair.first, pair.second);
    }
    return text;
}

}  // namespace

std::string answers_text(const PointTable& table) {
    const std::vector<MachineRow> rows = machine_rows(table);
    const std::vector<std::size_t> front = front_of(rows);
    if (front.empty()) return no_front_text(table, rows) + value_steps_text(table, rows);
    std::string text = left_out_text(table, rows) + emulation_notes(table, rows);
    for (const std::string& answer : main_answers(table, rows)) text += "- " + answer + "\n";
    text += slower_machines_text(table, rows);
    return text + front_text(table, rows, front) + levels_text(table, rows) +
           workloads_text(table, rows, front[0]) + effects_text(table, rows) +
           value_steps_text(table, rows);
}

}  // namespace okksim::sim::sweep
