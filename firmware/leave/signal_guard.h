// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <cstddef>
#include <memory>

#include "firmware/launch/fault_delivery.h"

namespace okksim::firmware {

/// Installs the handlers of the fault signals that SignalGuard handles, or removes them.
void hold_fault_signals();
void release_fault_signals();

/// While a guard lives, signals that this thread's firmware code raises (SIGSEGV, SIGBUS, SIGFPE,
/// SIGILL, SIGABRT, SIGTRAP) end the kernel. The handler jumps to the kernel's runner. Signals of
/// other code keep their previous handling. The handler uses a separate stack, because the kernel
/// may run on the stack of a coroutine.
class SignalGuard {
 public:
    explicit SignalGuard(FaultDelivery& delivery);
    ~SignalGuard();
    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;

 private:
    FaultDelivery* previous_delivery_;
    stack_t previous_stack_{};
    std::unique_ptr<std::byte[]> handler_stack_;  ///< absent when the thread already has one
};

}  // namespace okksim::firmware
