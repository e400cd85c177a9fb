// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::kernels {

/// Ends planning of a kernel (ProgramFault, kOutOfMemory) whose smallest tile so many bytes of a
/// lane do not hold. `what`: whose kernel, "convolution".
[[noreturn]] void throw_too_small(const char* what, std::int64_t local_bytes);

}  // namespace okksim::kernels
