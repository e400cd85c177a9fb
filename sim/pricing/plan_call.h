// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernels/call/tensor.h"
#include "kernels/planning/decisions.h"
#include "sim/pricing/machine_host.h"

namespace okksim::sim::pricing {

/// What a kernel does with one call.
struct PlannedCall {
    kernels::DecisionList decisions;
    bool is_complete = true;  ///< the kernel got to its end: no value of the run decided its way
    std::string fault = {};   ///< what the run will report; empty: nothing that is known
};

/// Lets a kernel (an operator's, or prepare_constants) take its decisions, and then issue its
/// commands to `port`, whose memories are the host's. The call's own decisions do not matter. A
/// fault on the way is the run's: the decisions end with it.
PlannedCall plan_call(kernels::OperatorKernel kernel, const kernels::OperatorCall& call,
                      MachineHost& host, isa::CommandPort& port);
/// The same for the decisions alone.
PlannedCall plan_call(kernels::OperatorKernel kernel, const kernels::OperatorCall& call,
                      MachineHost& host);

/// Lets firmware whose decisions are taken issue its commands to `port`, as a launch of its own.
void run_firmware(MachineHost& host, isa::CommandPort& port, const kernels::Firmware& firmware);

}  // namespace okksim::sim::pricing
