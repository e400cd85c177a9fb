// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace okksim::firmware {

/// Forgets the current context of this thread (Context::current()). The caller has dropped the
/// kernel and its stack without unwinding. Without a kernel the function does nothing.
void abandon_context();

}  // namespace okksim::firmware
