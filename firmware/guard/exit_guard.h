// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "firmware/launch/raw_call_stack.h"
#include "isa/fault.h"

namespace okksim::firmware {

/// Gets the replacements of exit(), quick_exit(), _exit(), _Exit(), pthread_exit() and of what
/// throws exceptions linked in; a kernel is about to begin on this thread.
void watch_exit();

/// Ends a process that the kernel has made by fork() since: what it was made of tells and writes
/// everything already. Only a fault of its own is told, on standard error.
void end_child(const std::optional<FaultRecord>& fault);

/// Where the kernel on this thread has last thrown an exception; empty: nowhere.
const RawCallStack& last_throw();
/// Notes that somebody throws an exception, from the function whose frame address is `frame`.
void note_throw(const void* frame);

/// Whether the kernel on this thread makes the call that is being looked at, no child process of
/// its own and nothing of the simulator.
bool is_kernels_call();

/// A function of the host's system that no kernel may call.
struct ForbiddenCall {
    const char* function = "";
    const char* argument = "";
    std::string value;
    const char* rule = "";
    const char* advice = "";
};
/// Ends the running kernel with a fault (kBadState) when it makes such a call, from the function
/// whose frame address is `frame`; returns when no kernel runs on this thread.
void end_kernel_on_call(ForbiddenCall call, const void* frame);
/// Likewise when it calls exit() or its like.
void end_kernel_on_exit(const char* function, int status, const void* frame);
/// Likewise when its own thread calls pthread_exit().
void end_kernel_on_thread_exit(const void* frame);

}  // namespace okksim::firmware
