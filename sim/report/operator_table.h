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

/// Returns the roofline of one operator.
trace::Roofline operator_roofline(const OperatorRecord& record,
                                  const models::MachineParams& machine);
/// Returns the roofline of the whole run: the sum over its operators, with the total time.
trace::Roofline run_roofline(const ExecutionReport& report, const models::MachineParams& machine);

/// Returns a table of operators in order of execution, in lines of at most 100 characters. Columns
/// are time, share, occupation of each engine, share of the roof and the limit, largest loss, and
/// output. The table has at most `most` lines, for the operators that took longest; 0: all.
std::string operator_table(const ExecutionReport& report, const models::MachineParams& machine,
                           std::size_t most);
/// Returns a table of sums by kind of operator, longest first, and of the whole run.
std::string kind_table(const ExecutionReport& report, const models::MachineParams& machine);
/// Lower bounds in microseconds for any schedule: of steps by the index of their record in the
/// report, and of the network.
struct StepBounds {
    std::map<std::size_t, double> steps;
    double whole_us = 0;
};
/// Returns CSV with a row per operator, "(rest)" and "(total)". docs/reference/reports.md lists the
/// columns.
std::string operator_csv(const ExecutionReport& report, const Machine& machine,
                         const StepBounds& bounds);

}  // namespace okksim::sim::report
