// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace okksim::firmware {

/// Does nothing itself: whoever calls it gets the replacement of exit() linked in.
void watch_exit();

/// Ends the running kernel with a fault (kBadState) when one calls exit(); returns when no kernel
/// runs on this thread. `frame` is the frame address of exit().
void end_kernel_on_exit(int status, const void* frame);

}  // namespace okksim::firmware
