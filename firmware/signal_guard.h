// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>

#include "firmware/context.h"
#include "isa/fault.h"

namespace okksim::firmware {

/// While it lives, signals that this thread's firmware code raises (SIGSEGV, SIGBUS, SIGFPE,
/// SIGILL, SIGABRT) end the kernel by a jump to its runner; signals of other code keep their
/// previous handling. The kernel may run on the stack of a coroutine: the handler uses a stack of
/// its own.
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

/// Ends the kernel when it computes for `seconds` of CPU time without issuing a command. The jump
/// happens only out of the library or program that `entry` lies in, never out of the C library,
/// whose locks could be held. Needs a SignalGuard.
class IdleTimer {
 public:
    IdleTimer(Context& context, double seconds, const void* entry);
    ~IdleTimer();
    IdleTimer(const IdleTimer&) = delete;
    IdleTimer& operator=(const IdleTimer&) = delete;

    struct Watch {
        const CallCounts* counts = nullptr;
        std::uint64_t commands_seen = 0;
        int idle_ticks = 0;
        std::uintptr_t code_begin = 0;
        std::uintptr_t code_end = 0;
    };

 private:
    Watch watch_;
    Watch* previous_watch_;
    std::optional<timer_t> timer_;
};

/// The fault that the signal in `delivery` stands for.
FaultRecord signal_fault(const FaultDelivery& delivery, double idle_seconds);

}  // namespace okksim::firmware
