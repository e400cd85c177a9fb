// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/call/tensor.h"

namespace okksim::sim::execution {

/// True of the domain "okk": no other one has operators that run.
bool runs_custom_operator(const tosa::CustomAttributes& attributes);

/// Runs a CUSTOM operator of the domain "okk" on the control processor: the registered kernel of
/// its name, with the arguments that firmware/okk_custom.h describes. All tensors are row major.
/// ProgramFault: kUnsupported for another domain, kUnknownKernel for an unregistered name, and what
/// ends the kernel.
void run_custom_operator(const kernels::OperatorCall& call);

}  // namespace okksim::sim::execution
