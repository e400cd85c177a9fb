// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::kernels {

/// Ends planning of a kernel whose smallest tile does not fit `local_bytes` bytes per lane, with
/// ProgramFault (kOutOfMemory). `what`: the kernel's name in the message, such as "convolution".
[[noreturn]] void throw_too_small(const char* what, std::int64_t local_bytes);

}  // namespace okksim::kernels
