// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::firmware {

/// How far down the stack that this thread of control runs on may be used by kernels: below that it
/// is the simulator's, which needs some of it in every call. 0: unknown.
std::uintptr_t lowest_kernel_frame();

}  // namespace okksim::firmware
