// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/chip/machine_params.h"
#include "sim/execution/executor.h"
#include "sim/trace/roofline.h"

namespace okksim::sim::report {

using execution::ExecutionReport;
using execution::OperatorRecord;

/// The operator's work beside what the machine could do in its time.
trace::Roofline operator_roofline(const OperatorRecord& record,
                                  const models::MachineParams& machine);
/// Of the whole run: the sum of its operators', over the time of everything.
trace::Roofline run_roofline(const ExecutionReport& report, const models::MachineParams& machine);

/// Operators in order of execution, a line of at most 100 characters each: time, share, how much of
/// it each engine is occupied, share of the roof and what bounds it, what takes most of the time of
/// the engine that works most, output. At most `most` lines, those of the operators that took
/// longest; 0: all.
std::string operator_table(const ExecutionReport& report, const models::MachineParams& machine,
                           std::size_t most);
/// Sums by kind of operator, the longest first, and of the whole run.
std::string kind_table(const ExecutionReport& report, const models::MachineParams& machine);
/// Microseconds that no plan comes below: of steps, by the position of their record in the report,
/// and of the network.
struct StepBounds {
    std::map<std::size_t, double> steps;
    double whole_us = 0;
};
/// A row per operator, "(rest)" and "(total)" with everything that is known about each:
/// docs/REPORTS.md lists the columns.
std::string operator_csv(const ExecutionReport& report, const Machine& machine,
                         const StepBounds& bounds);

}  // namespace okksim::sim::report
