// SPDX-License-Identifier: Apache-2.0
#include "sim/report/limit_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "isa/base/printable.h"

namespace okksim::sim::report {
namespace {

using bound::ReachableBound;
using execution::StepRun;
using models::Picoseconds;

constexpr std::size_t kCauses = 3;

double total_us(const LimitedRun& run) {
    return (run.report.end - run.report.start).microseconds();
}

Picoseconds lost(const StepRun& step) { return step.account.span - step.limit.time(); }

std::string bound_text(const LimitedRun& run, const std::string& what) {
    const ReachableBound& bound = run.limits.whole;
    if (bound.time().value == 0) {
        return "No reachable bound: the computation is inside control flow, or the graph only\n"
               "moves data.\n";
    }
    return fmt::format(
        "Best any plan could reach: {:.1f} us (limits: issue {:.1f}, compute {:.1f}, memory "
        "{:.1f},\n"
        "dependences {:.1f}). This {}: {:.2f}x that.\n",
        bound.time().microseconds(), bound.issue.microseconds(), bound.compute.microseconds(),
        bound.memory.microseconds(), bound.path.microseconds(), what,
        total_us(run) / bound.time().microseconds());
}

std::string floor_text(const LimitedRun& run, const std::string& what) {
    const trace::NetworkFloor floor = run_floor(run.report, run.memory, run.machine);
    if (floor.us() == 0) return "";
    return fmt::format(
        "Ideal time {:.1f} us (compute {:.1f}, memory {:.1f}). This {}: {:.2f}x the ideal.\n"
        "Largest losses: {}.\n",
        floor.us(), floor.compute_us, floor.memory_us, what, total_us(run) / floor.us(),
        lost_times_text(run.report.account, run.machine, kCauses));
}

/// Returns a step's time as a multiple of its bound. The bound is valid for the step alone. If
/// steps overlap, the step's share of the run may be smaller.
std::string times_text(double us, double bound) {
    if (bound == 0) return "-";
    return us < bound ? "<1" : fmt::format("{:.2f}", us / bound);
}

std::string step_row(const LimitedRun& run, const StepRun& step) {
    const execution::OperatorRecord& record = run.report.operators[step.record];
    const double us = step.account.span.microseconds();
    const double bound = step.limit.time().microseconds();
    return fmt::format("{:>4} {:<22} {:>9.1f} {:>9.1f} {:>6} {:<11} {} ({})\n", record.op_index,
                       operator_kind(record), us, bound, times_text(us, bound), step.limit.limit(),
                       lost_times_text(step.account, run.machine, kCauses),
                       printable(record.output));
}

/// Returns the steps with the largest losses, the largest first.
std::string steps_text(const LimitedRun& run, std::size_t shown_steps) {
    if (run.steps.size() < 2) return "";
    std::vector<const StepRun*> most;
    for (const StepRun& step : run.steps) most.push_back(&step);
    std::stable_sort(most.begin(), most.end(),
                     [](const StepRun* a, const StepRun* b) { return lost(*a) > lost(*b); });
    most.resize(std::min(most.size(), shown_steps));
    std::string text = fmt::format(
        "Kernels and layer groups, {} of {}, largest loss first (ratio: us / bound):\n"
        "{:>4} {:<22} {:>9} {:>9} {:>6} {:<11} {}\n",
        most.size(), run.steps.size(), "#", "operator", "us", "bound", "ratio", "limit",
        "largest losses (output)");
    for (const StepRun* step : most) text += step_row(run, *step);
    return text;
}

}  // namespace

trace::NetworkFloor run_floor(const execution::ExecutionReport& report,
                              const execution::MemoryUse& memory,
                              const models::MachineParams& machine) {
    return network_floor(run_roofline(report, machine),
                         {memory.constants + memory.inputs, memory.outputs}, machine);
}

std::string limit_text(const LimitedRun& run, const std::string& what, std::size_t shown_steps) {
    return floor_text(run, what) + bound_text(run, what) + steps_text(run, shown_steps);
}

nlohmann::ordered_json bound_json(const ReachableBound& bound) {
    return {
        {"us", bound.time().microseconds()},           {"issue_us", bound.issue.microseconds()},
        {"compute_us", bound.compute.microseconds()},  {"memory_us", bound.memory.microseconds()},
        {"dependences_us", bound.path.microseconds()}, {"limit", bound.limit()}};
}

StepBounds step_bounds(const execution::RunLimits& limits, const std::vector<StepRun>& steps) {
    StepBounds bounds;
    bounds.whole_us = limits.whole.time().microseconds();
    for (const StepRun& step : steps) {
        bounds.steps[step.record] = step.limit.time().microseconds();
    }
    return bounds;
}

nlohmann::ordered_json floor_json(const LimitedRun& run) {
    const trace::NetworkFloor floor = run_floor(run.report, run.memory, run.machine);
    return {{"us", floor.us()},
            {"compute_us", floor.compute_us},
            {"memory_us", floor.memory_us},
            {"most_time_lost", lost_times_text(run.report.account, run.machine, kCauses)}};
}

nlohmann::ordered_json step_limits_json(const LimitedRun& run) {
    auto list = nlohmann::ordered_json::array();
    for (const StepRun& step : run.steps) {
        const execution::OperatorRecord& record = run.report.operators[step.record];
        list.push_back({{"index", record.op_index},
                        {"operator", operator_kind(record)},
                        {"output", record.output},
                        {"us", step.account.span.microseconds()},
                        {"reachable_bound", bound_json(step.limit)},
                        {"most_time_lost", lost_times_text(step.account, run.machine, kCauses)}});
    }
    return list;
}

}  // namespace okksim::sim::report
