// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace okksim::firmware {

/// Does nothing itself: whoever calls it gets the replacements of exit(), _exit() and _Exit()
/// linked in.
void watch_exit();

/// Ends the running kernel with a fault (kBadState) when one calls `function`, exit() or its like,
/// whose frame address is `frame`; returns when no kernel runs on this thread.
void end_kernel_on_exit(const char* function, int status, const void* frame);

}  // namespace okksim::firmware
