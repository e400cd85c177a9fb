// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "firmware/call_stack.h"
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

/// Ends the running kernel with a fault (kBadState) when one calls `function`, exit() or its like,
/// whose frame address is `frame`; returns when no kernel runs on this thread.
void end_kernel_on_exit(const char* function, int status, const void* frame);
/// Likewise when its own thread calls pthread_exit().
void end_kernel_on_thread_exit(const void* frame);

}  // namespace okksim::firmware
