// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "firmware/calls/call_value.h"
#include "sim/golden/okk_golden.h"

namespace okksim::sim::golden {

/// Returns the arguments of a golden call, decoded by the C types of `function`'s parameters.
/// Output parameters (dim4 *) become nullptr.
firmware::CallValues okk_call_values(const OkkFunction& function, const OkkArguments& arguments,
                                     const isa::MachineShape& machine);

}  // namespace okksim::sim::golden
