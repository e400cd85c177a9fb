// SPDX-License-Identifier: Apache-2.0
#include "sim/study/gate/gate_judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/base/errors.h"
#include "isa/base/printable.h"
#include "sim/graph/folder.h"
#include "sim/study/gate/baseline_files.h"
#include "sim/study/gate/compare_baselines.h"
#include "sim/study/gate/compare_records.h"
#include "sim/study/gate/compare_sweeps.h"

namespace okksim::sim::gate {
namespace {

namespace fs = std::filesystem;

std::string machine_of(const TimeRecord& record) {
    return record.machine + " (hash " + record.machine_hash + ")";
}

/// Returns the measured values with their limits.
std::vector<CaseMetric> metrics_of(const TimeRecord& record, const GateLimits& limits) {
    const RunTotals totals = record.totals.value_or(RunTotals{});
    return {{"time_us", record.simulated_us, {}, limits.time_us},
            {"commands", static_cast<double>(totals.commands), {}, limits.commands},
            {"bytes", static_cast<double>(totals.dram_bytes), {}, limits.bytes},
            {"energy_uj", totals.energy_uj, {}, limits.energy_uj}};
}

void add_base_values(const TimeRecord& base, std::vector<CaseMetric>& metrics) {
    const std::vector<CaseMetric> values = metrics_of(base, {});
    const std::size_t count = base.totals ? values.size() : 1;
    for (std::size_t i = 0; i < count; ++i) metrics[i].base = values[i].value;
}

/// Returns the name of a task's record.
fs::path record_file(const fs::path& folder, const GateTask& task) {
    return folder / (task.name + (task.workload.sweep.empty() ? kTimeEnd : kSweepEnd));
}

/// Compares an outcome with the record of its task.
void compare_with(const fs::path& file, const GateTask& task, const GateOutcome& outcome,
                  CaseComparison& result) {
    if (outcome.sweep) {
        CaseComparison comparison =
            compare_sweep_records(load_sweep_record(file), *outcome.sweep, task.workload.threshold);
        comparison.name = result.name;
        result = std::move(comparison);
        return;
    }
    const TimeRecord base = load_time_record(file);
    result.verdict = Verdict::kSame;
    compare_records(base, *outcome.record, task.workload.threshold, result);
    add_base_values(base, result.metrics);
}

/// Names the limits that a run exceeds.
void apply_limits(CaseComparison& result) {
    for (const CaseMetric& metric : result.metrics) {
        if (!metric.exceeds()) continue;
        if (result.verdict != Verdict::kChanged) result.verdict = Verdict::kLimit;
        result.reasons.insert(result.reasons.begin(),
                              fmt::format("{} is {:.10g}, more than its limit {:.10g}", metric.name,
                                          metric.value, *metric.limit));
    }
}

CaseComparison judge(const GateTask& task, const GateOutcome& outcome,
                     const std::optional<fs::path>& base) {
    CaseComparison result;
    result.name = task.name;
    result.verdict = Verdict::kWithin;
    result.warnings = outcome.warnings;
    if (!outcome.error.empty() || !outcome.fault.empty()) {
        const bool is_error = !outcome.error.empty();
        result.verdict = is_error ? Verdict::kError : Verdict::kFault;
        result.reasons = {is_error ? outcome.error : outcome.fault};
        return result;
    }
    if (outcome.record) {
        result.metrics = metrics_of(*outcome.record, task.workload.limits);
        result.new_us = outcome.record->simulated_us;
        result.new_machine = machine_of(*outcome.record);
    }
    try {
        if (base && fs::exists(record_file(*base, task))) {
            compare_with(record_file(*base, task), task, outcome, result);
        } else if (base) {
            result.verdict = Verdict::kAdded;
        }
    } catch (const ConfigError& error) {
        result.verdict = Verdict::kDamaged;
        result.reasons = {error.what()};
    }
    if (result.verdict == Verdict::kWithin && !task.workload.limits.any()) {
        result.reasons.emplace_back("has no limit and no baseline, so it only must run");
    }
    apply_limits(result);
    if (!outcome.wrong.empty()) {
        result.verdict = Verdict::kChanged;
        result.reasons.insert(result.reasons.begin(), outcome.wrong.begin(), outcome.wrong.end());
    }
    return result;
}

/// Returns the reasons to print, and warnings.
std::vector<std::string> remarks(const CaseComparison& c) {
    std::vector<std::string> remarks;
    if (c.verdict != Verdict::kSame) remarks = c.reasons;
    for (const std::string& warning : c.warnings) remarks.push_back("warning: " + warning);
    return remarks;
}

std::string base_text(const CaseComparison& c) {
    return c.base_us > 0 ? fmt::format("{:.2f}", c.base_us) : "-";
}
std::string new_text(const CaseComparison& c) {
    return c.new_us > 0 ? fmt::format("{:.2f}", c.new_us) : "-";
}
std::string change_text(const CaseComparison& c, const char* unit) {
    return c.base_us > 0 && c.new_us > 0 ? fmt::format("{:+.2f}{}", 100 * c.change(), unit) : "-";
}

/// Returns the machines of both sides, or only one side without a baseline.
std::string origin_of(const std::vector<CaseComparison>& cases) {
    const std::string text = comparison_origin(cases), no_base = "base: ; new: ";
    return text.starts_with(no_base) ? "machine: " + text.substr(no_base.size()) : text;
}

}  // namespace

std::vector<CaseComparison> judge_tasks(const std::vector<GateTask>& tasks,
                                        const std::vector<std::optional<GateOutcome>>& outcomes,
                                        const std::optional<fs::path>& base) {
    std::vector<CaseComparison> cases;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (outcomes[i]) cases.push_back(judge(tasks[i], *outcomes[i], base));
    }
    return cases;
}

std::vector<CaseComparison> missing_tasks(const GateFile& gate, const fs::path& base) {
    std::vector<CaseComparison> cases;
    for (const auto& entry : fs::directory_iterator(base)) {
        const std::string file = entry.path().filename().string();
        for (const std::string end : {kTimeEnd, kSweepEnd}) {
            if (!file.ends_with(end)) continue;
            const std::string name = file.substr(0, file.size() - end.size());
            if (std::ranges::find(gate.tasks, name, &GateTask::name) != gate.tasks.end()) continue;
            CaseComparison missing;
            missing.name = name;
            missing.verdict = Verdict::kMissing;
            missing.reasons = {fmt::format("{} has no such workload; delete {}", gate.file.string(),
                                           entry.path().string())};
            cases.push_back(std::move(missing));
        }
    }
    std::ranges::sort(cases, {}, &CaseComparison::name);
    return cases;
}

std::size_t write_baseline(const std::vector<std::optional<GateOutcome>>& outcomes,
                           const fs::path& folder) {
    graph::make_folder(folder);
    std::size_t count = 0;
    for (const auto& outcome : outcomes) {
        if (!outcome || !outcome->fault.empty() || !outcome->wrong.empty()) continue;
        if (outcome->record) {
            save_time_record(*outcome->record, folder / (outcome->record->name + kTimeEnd));
        } else if (outcome->sweep) {
            save_sweep_record(*outcome->sweep, folder / (outcome->sweep->name + kSweepEnd));
        } else {
            continue;
        }
        ++count;
    }
    return count;
}

std::string gate_text(const std::vector<CaseComparison>& cases, double threshold) {
    std::string text = fmt::format("{:<32} {:>12} {:>12} {:>9}  {}\n", "workload", "base us", "us",
                                   "change", "verdict");
    for (const CaseComparison& c : cases) {
        if (c.verdict == Verdict::kLeftOut) continue;
        text += fmt::format("{:<32} {:>12} {:>12} {:>9}  {}\n", printable(c.name), base_text(c),
                            new_text(c), change_text(c, "%"), verdict_name(c.verdict));
        for (const std::string& remark : remarks(c)) text += "    " + remark + "\n";
    }
    return text + origin_of(cases) + "\n" + comparison_summary(cases, threshold) + "\n";
}

std::string gate_markdown(const std::vector<CaseComparison>& cases, double threshold) {
    std::string text =
        "| workload | base us | us | change | verdict | why |\n|---|--:|--:|--:|---|---|\n";
    for (const CaseComparison& c : cases) {
        if (c.verdict == Verdict::kLeftOut) continue;
        std::string why;
        for (const std::string& remark : remarks(c)) why += (why.empty() ? "" : "; ") + remark;
        std::ranges::replace(why, '|', '/');
        std::ranges::replace(why, '\n', ' ');
        text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", printable(c.name), base_text(c),
                            new_text(c), change_text(c, " %"), verdict_name(c.verdict), why);
    }
    return text + "\n" + origin_of(cases) + "  \n" + comparison_summary(cases, threshold) + "\n";
}

}  // namespace okksim::sim::gate
