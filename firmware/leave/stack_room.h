// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::firmware {

/// What the simulator's own calls may need of a stack: names of lines are looked up there, too.
inline constexpr std::uintptr_t kSimulatorStackBytes = std::uintptr_t{256} << 10;

/// How far down the stack that this thread of control runs on may be used by kernels: below that it
/// is the simulator's, which needs some of it in every call. 0: unknown.
std::uintptr_t lowest_kernel_frame();

}  // namespace okksim::firmware
