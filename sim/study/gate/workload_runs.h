// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/study/gate/gate_run.h"

namespace okksim::sim::gate {

/// Each function runs one kind of workload. Faults are in the outcome. ConfigError for wrong files.
GateOutcome run_graph_task(const GateTask& task);
GateOutcome run_kernel_task(const GateTask& task);
GateOutcome run_trace_task(const GateTask& task);
GateOutcome run_sweep_task(const GateTask& task);

/// Returns the fault with the innermost line of the kernel.
std::string fault_text(const FaultRecord& fault);
/// Adds the warnings of a run. With `strict`, the first mistake is a fault.
void add_findings(GateOutcome& outcome, const std::vector<Finding>& findings, bool strict);

}  // namespace okksim::sim::gate
