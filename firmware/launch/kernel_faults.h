// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "isa/base/fault.h"

namespace okksim::firmware {

/// The fault of a kernel that computed for `seconds` without issuing a command, or that the user
/// has asked to end (isa/base/stop_request.h).
FaultRecord idle_time_fault(double seconds);

/// CPU seconds in which a kernel may only repeat earlier commands, for a limit of `idle_seconds`
/// without a command. A loop of commands makes more of them than a loop without, so the time does
/// not shrink with the limit.
double repeat_seconds(double idle_seconds);
/// The value of FaultDelivery::time_is_up for this fault; 1 stands for idle_time_fault().
inline constexpr int kOnlyRepeats = 2;
/// The fault of a kernel that has only repeated earlier commands for `seconds`.
FaultRecord repeated_commands_fault(double seconds);

/// The fault of a kernel that has used up its stack. `where` is ", address 0x..." or empty.
FaultRecord stack_overflow(const std::string& where);

}  // namespace okksim::firmware
