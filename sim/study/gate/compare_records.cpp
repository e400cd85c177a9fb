// SPDX-License-Identifier: Apache-2.0
#include "sim/study/gate/compare_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/study/gate/line_changes.h"
#include "sim/study/gate/time_changes.h"

namespace okksim::sim::gate {
namespace {

void compare_outputs(const TimeRecord& base, const TimeRecord& next, CaseComparison& result) {
    // A gate's workload without data has no outputs.
    if ((base.totals && base.outputs.empty()) || (next.totals && next.outputs.empty())) return;
    for (std::size_t i = 0; i < std::max(base.outputs.size(), next.outputs.size()); ++i) {
        const bool both = i < base.outputs.size() && i < next.outputs.size();
        if (both && base.outputs[i].hash == next.outputs[i].hash) continue;
        result.verdict = Verdict::kChanged;
        const auto& outputs = i < next.outputs.size() ? next.outputs : base.outputs;
        result.reasons.push_back("output " + outputs[i].name + " differs");
        return;
    }
}

/// Names changed commands, bytes and energy.
void add_totals(const TimeRecord& base, const TimeRecord& next, CaseComparison& result) {
    if (!base.totals || !next.totals) return;
    const auto add = [&](const char* what, double before, double after) {
        if (before == after) return;
        const std::string share =
            before > 0 ? fmt::format(" ({:+.2f} %)", 100 * (after / before - 1)) : "";
        result.reasons.push_back(
            fmt::format("{}: {:.10g} -> {:.10g}{}", what, before, after, share));
    };
    const RunTotals &a = *base.totals, &b = *next.totals;
    add("commands", static_cast<double>(a.commands), static_cast<double>(b.commands));
    add("bytes of DRAM", static_cast<double>(a.dram_bytes), static_cast<double>(b.dram_bytes));
    add("energy in uJ", a.energy_uj, b.energy_uj);
}

}  // namespace

void compare_records(const TimeRecord& base, const TimeRecord& next, double threshold,
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
    for (auto& words : changed_lines(base, next)) result.reasons.push_back(std::move(words));
    add_totals(base, next, result);
}

}  // namespace okksim::sim::gate
