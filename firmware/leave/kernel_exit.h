// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <ucontext.h>

#include "firmware/launch/fault_delivery.h"

namespace okksim::firmware {

/// Jumps from a signal handler to the kernel's runner and hands it the facts of the signal.
[[noreturn]] void leave_kernel(FaultDelivery& delivery, int number, const siginfo_t& info,
                               const ucontext_t& state);

}  // namespace okksim::firmware
