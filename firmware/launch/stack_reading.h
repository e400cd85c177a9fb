// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csetjmp>

namespace okksim::firmware {

/// The target of a jump out of a fault that happens while read_stack() runs; nullptr while it does
/// not run.
extern constinit thread_local sigjmp_buf* stack_reading;

/// Reads a stack that the kernel may have destroyed. A fault ends the reading, and read_stack()
/// returns.
template <typename Read>
void read_stack(const Read& read) {
    sigjmp_buf reading;
    sigjmp_buf* const outer = stack_reading;
    if (sigsetjmp(reading, 0) == 0) {
        stack_reading = &reading;
        read();
    }
    stack_reading = outer;
}

}  // namespace okksim::firmware
