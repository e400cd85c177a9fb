// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "firmware/launch/raw_call_stack.h"
#include "isa/base/fault.h"

namespace okksim::firmware {

/// Prepares the guard for a kernel that is about to begin on this thread. The call also links the
/// replacements of exit(), quick_exit(), _exit(), _Exit(), pthread_exit() and __cxa_throw() into
/// the program.
void watch_exit();

/// Ends a process that the kernel has made by fork(). Its parent reports and writes everything, so
/// the child only prints its own fault to standard error.
void end_child(const std::optional<FaultRecord>& fault);

/// Returns the call stack of the last exception that the kernel on this thread has thrown; empty if
/// there is none.
const RawCallStack& last_throw();
/// Notes the call stack of a throw in the function whose frame address is `frame`.
void note_throw(const void* frame);

/// Returns whether the kernel on this thread makes the current call. The result is false in child
/// processes and for calls of the simulator.
bool is_kernels_call();

/// A function of the host's system that no kernel may call.
struct ForbiddenCall {
    const char* function = "";
    const char* argument = "";
    std::string value;
    const char* rule = "";
    const char* advice = "";
};
/// Ends the running kernel with a fault (kBadState) if it makes such a call. `frame` is the frame
/// address of the called function. The function returns if no kernel runs on this thread.
void end_kernel_on_call(ForbiddenCall call, const void* frame);
/// Ends the running kernel with a fault if it calls exit() or a similar function.
void end_kernel_on_exit(const char* function, int status, const void* frame);
/// Ends the running kernel with a fault if its own thread calls pthread_exit().
void end_kernel_on_thread_exit(const void* frame);

}  // namespace okksim::firmware
