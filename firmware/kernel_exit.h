// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <ucontext.h>

#include "firmware/fault_delivery.h"

namespace okksim::firmware {

// What signal handlers share: how they find the kernel that runs on this thread, and leave it.

/// Where a kernel that this thread runs wants its faults; nullptr without a SignalGuard.
extern constinit thread_local FaultDelivery* active_delivery;

/// Where a fault goes that happens while leave_kernel() reads the kernel's stack; nullptr: it does
/// not.
extern constinit thread_local sigjmp_buf* stack_reading;

/// Reads a stack that the kernel may have destroyed: a fault on the way ends the reading.
template <typename Read>
void read_stack(const Read& read) {
    sigjmp_buf reading;
    sigjmp_buf* const outer = stack_reading;
    if (sigsetjmp(reading, 0) == 0) {
        stack_reading = &reading;
        read();
    }
    stack_reading = outer;
}

/// Whether the interrupted code is the kernel's own.
bool in_firmware(const FaultDelivery* delivery);

const void* program_counter_of(const ucontext_t& state);
const void* stack_pointer_of(const ucontext_t& state);

/// In a handler: the call stack of the kernel that a signal has interrupted.
void capture_interrupted(RawCallStack& stack, const ucontext_t& state);

/// Jumps from a handler to the kernel's runner, with what the signal says.
[[noreturn]] void leave_kernel(FaultDelivery& delivery, int number, const siginfo_t& info,
                               const ucontext_t& state);

}  // namespace okksim::firmware
