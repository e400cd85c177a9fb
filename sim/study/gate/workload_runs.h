// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/base/fault.h"
#include "isa/base/finding.h"
#include "sim/study/gate/gate_tasks.h"
#include "sim/study/gate/sweep_record.h"
#include "sim/study/gate/time_record.h"

namespace okksim::sim::execution {
struct ExecutionReport;
}

namespace okksim::sim::gate {

/// The result of one task.
struct GateOutcome {
    std::optional<TimeRecord> record;
    std::optional<SweepRecord> sweep;   ///< of a sweep, in place of `record`
    std::vector<std::string> wrong;     ///< outputs that differ from the expected ones
    std::vector<std::string> warnings;  ///< of the sanitizer
    std::string fault;                  ///< of the guest program; empty: none
    std::string error;                  ///< a wrong file or setting; empty: none
    bool is_bug = false;                ///< `error` is a bug of okksim
};

/// Each function runs one kind of workload. Faults are in the outcome. ConfigError for wrong files.
GateOutcome run_graph_task(const GateTask& task);
GateOutcome run_kernel_task(const GateTask& task);
GateOutcome run_trace_task(const GateTask& task);
GateOutcome run_sweep_task(const GateTask& task);

/// Returns the fault with the innermost line of the kernel.
std::string fault_text(const FaultRecord& fault);
/// Adds the warnings of a run. With `strict`, the first mistake is a fault.
void add_findings(GateOutcome& outcome, const std::vector<Finding>& findings, bool strict);

/// Adds the operators of a graph's run to its record.
void add_operators(TimeRecord& record, const execution::ExecutionReport& report);
/// Returns the largest planning effort (-O).
int most_effort();

}  // namespace okksim::sim::gate
