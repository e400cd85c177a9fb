// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "isa/base/fault.h"

namespace okksim::firmware {

/// The fault of a kernel that computed for `seconds` without issuing a command, or that the user
/// has asked to end (isa/base/stop_request.h).
FaultRecord idle_time_fault(double seconds);

/// The fault of a kernel that has used up its stack. `where` is ", address 0x..." or empty.
FaultRecord stack_overflow(const std::string& where);

}  // namespace okksim::firmware
