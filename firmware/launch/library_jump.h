// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csetjmp>

namespace okksim::firmware {

/// Calls the C library's siglongjmp(). Signal handlers use this function, because jump_guard.cpp
/// replaces the siglongjmp() that programs call and checks the jumps of kernels.
[[noreturn]] void jump_to(sigjmp_buf& target);

}  // namespace okksim::firmware
