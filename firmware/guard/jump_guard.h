// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace okksim::firmware {

/// Links the replacements of longjmp() and its like into the program. They end a kernel that jumps
/// to a function that has returned.
void watch_jumps();

}  // namespace okksim::firmware
