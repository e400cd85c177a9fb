// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// What the control processor's own loads and stores touch in device memory. Kernels access memory
/// through plain pointers, which nobody can observe, so they count beside each such access.
namespace okksim::kernels {

/// Adds bytes loaded or stored to the calling thread's count.
void count_processor_bytes(std::uint64_t bytes);

/// Bytes counted on the calling thread since it began; differences tell what a kernel touched.
std::uint64_t processor_bytes();

}  // namespace okksim::kernels
