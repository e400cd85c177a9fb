// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::firmware {

/// Bytes of stack that the simulator's calls may need. The lookup of source lines uses this stack,
/// too.
inline constexpr std::uintptr_t kSimulatorStackBytes = std::uintptr_t{256} << 10;

/// Returns the lowest stack address that kernels may use on this thread of control. The simulator
/// needs the memory below it in every call. 0: unknown.
std::uintptr_t lowest_kernel_frame();

}  // namespace okksim::firmware
