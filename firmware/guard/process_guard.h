// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace okksim::firmware {

/// Gets the replacements of what replaces, signals or times a process linked in: exec and its like,
/// kill(), signal(), alarm() and system calls by number. Called by a kernel, which has no process,
/// signals or clock, they end it with a fault.
void watch_process_calls();

}  // namespace okksim::firmware
