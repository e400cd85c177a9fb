// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernels/call/tensor.h"
#include "kernels/planning/decisions.h"
#include "sim/pricing/machine_host.h"

namespace okksim::sim::pricing {

/// The plan of one call of a kernel.
struct PlannedCall {
    kernels::DecisionList decisions;
    bool is_complete = true;  ///< the kernel reached its end without needing a value of the run
    std::string fault = {};   ///< the fault that the run will report; empty if none is known
};

/// Lets a kernel (an operator's, or prepare_constants) take its decisions and issue its commands to
/// `port`. The port must use the host's memories. Decisions in `call` are ignored. A fault ends the
/// decisions, and the run will report it.
PlannedCall plan_call(kernels::OperatorKernel kernel, const kernels::OperatorCall& call,
                      MachineHost& host, isa::CommandPort& port);
/// Lets a kernel only take its decisions.
PlannedCall plan_call(kernels::OperatorKernel kernel, const kernels::OperatorCall& call,
                      MachineHost& host);

/// Lets firmware with known decisions issue its commands to `port`, as a separate launch.
void run_firmware(MachineHost& host, isa::CommandPort& port, const kernels::Firmware& firmware);

}  // namespace okksim::sim::pricing
