// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace okksim::firmware {

/// Links the replacements of functions that replace, signal or time a process into the program.
/// These are exec and its like, kill(), signal(), alarm(), and system calls by number. A call by a
/// kernel is a fault, because a kernel has no process, signals or clock.
void watch_process_calls();

}  // namespace okksim::firmware
