// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <cstddef>
#include <memory>

#include "firmware/launch/fault_delivery.h"

namespace okksim::firmware {

/// Has the signals that SignalGuard is for handled, or no longer.
void hold_fault_signals();
void release_fault_signals();

/// While it lives, signals that this thread's firmware code raises (SIGSEGV, SIGBUS, SIGFPE,
/// SIGILL, SIGABRT, SIGTRAP) end the kernel by a jump to its runner; signals of other code keep
/// their previous handling. The kernel may run on the stack of a coroutine: the handler uses a
/// stack of its own.
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
