// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "isa/fault.h"
#include "isa/finding.h"
#include "sim/execution/operator_profile.h"
#include "sim/planning/local_blocks.h"
#include "sim/trace/account.h"

namespace okksim::sim::execution {

/// What one execution of a graph gave besides its outputs.
struct ExecutionReport {
    models::Picoseconds start;  ///< first firmware instruction
    models::Picoseconds end;    ///< everything complete
    /// What prepare() took before it, once: a launch of its own, launch and sync included.
    models::Picoseconds preparing;
    std::vector<OperatorRecord> operators;  ///< in order of execution
    std::vector<SectionRun> sections;       ///< of layer groups, in order of execution
    /// What lies where in local memory, of every layer group of the main block, in their order.
    std::vector<std::vector<planning::LocalBlock>> local;
    /// What the engines' time went into, launch and sync included; the operators' shares and `rest`
    /// add up to it.
    trace::Account account;
    trace::Account rest;               ///< before the first operator, after the last
    std::optional<FaultRecord> fault;  ///< what ended the run early, if anything
    std::vector<Finding> findings;     ///< probable mistakes of kernels
};

/// Of a run on this machine in which nothing has happened yet.
ExecutionReport empty_report(const models::MachineParams& machine);

}  // namespace okksim::sim::execution
