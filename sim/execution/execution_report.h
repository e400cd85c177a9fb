// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "isa/base/fault.h"
#include "isa/base/finding.h"
#include "sim/execution/operator_profile.h"
#include "sim/planning/local_blocks.h"
#include "sim/trace/account.h"

namespace okksim::sim::execution {

/// The results of one execution of a graph, without its outputs.
struct ExecutionReport {
    models::Picoseconds start;              ///< first firmware instruction
    models::Picoseconds end;                ///< everything complete
    std::vector<OperatorRecord> operators;  ///< in order of execution
    std::vector<SectionRun> sections;       ///< of layer groups, in order of execution
    /// Allocations in local memory, for every layer group of the main block, in order.
    std::vector<std::vector<planning::LocalBlock>> local;
    /// The engines' time by cause, with launch and sync. It is the sum of the operators' shares and
    /// `rest`.
    trace::Account account;
    trace::Account rest;               ///< before the first operator and after the last one
    std::optional<FaultRecord> fault;  ///< the fault that ended the run early, if any
    std::vector<Finding> findings;     ///< probable mistakes of kernels
};

/// Returns the report of a run on this machine before its start.
ExecutionReport empty_report(const models::MachineParams& machine);

}  // namespace okksim::sim::execution
