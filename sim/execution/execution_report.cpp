// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/execution_report.h"

namespace okksim::sim::execution {

ExecutionReport empty_report(const models::MachineParams& machine) {
    ExecutionReport report;
    report.account = report.rest = trace::Account{trace::EngineList(machine)};
    return report;
}

}  // namespace okksim::sim::execution
