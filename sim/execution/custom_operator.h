// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/call/tensor.h"

namespace okksim::sim::execution {

/// True for the domain "okk". Operators of other domains cannot run.
bool runs_custom_operator(const tosa::CustomAttributes& attributes);

/// Runs a CUSTOM operator of the domain "okk" on the control processor. It is the registered kernel
/// of its name, with arguments as in firmware/okk_custom.h. All tensors are row major. Throws
/// ProgramFault: kUnsupported for another domain, kUnknownKernel for an unregistered name, and
/// faults of the kernel.
void run_custom_operator(const kernels::OperatorCall& call);

}  // namespace okksim::sim::execution
