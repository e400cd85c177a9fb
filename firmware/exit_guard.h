// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "firmware/call_stack.h"

namespace okksim::firmware {

/// Gets the replacements of exit(), quick_exit(), _exit(), _Exit() and of what throws exceptions
/// linked in; a kernel is about to begin on this thread.
void watch_exit();

/// Ends a process that the kernel has made by fork() since: what it was made of tells and writes
/// everything already.
void end_child(int status);

/// Where the kernel on this thread has last thrown an exception; empty: nowhere.
const RawCallStack& last_throw();
/// Notes that somebody throws an exception, from the function whose frame address is `frame`.
void note_throw(const void* frame);

/// Ends the running kernel with a fault (kBadState) when one calls `function`, exit() or its like,
/// whose frame address is `frame`; returns when no kernel runs on this thread.
void end_kernel_on_exit(const char* function, int status, const void* frame);

}  // namespace okksim::firmware
