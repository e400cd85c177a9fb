// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace okksim::firmware {

/// Prepares the guards of the process for a kernel that is about to begin on this thread. The call
/// also links the replacements of the C library's functions into the program.
void guard_launch();

}  // namespace okksim::firmware
