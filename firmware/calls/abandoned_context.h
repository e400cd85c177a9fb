// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace okksim::firmware {

/// Tells that the kernel on this thread is gone with its stack, which nobody has unwound: its
/// context is no longer the current one (Context::current()). Without a kernel it does nothing.
void abandon_context();

}  // namespace okksim::firmware
