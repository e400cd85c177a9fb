// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csetjmp>

namespace okksim::firmware {

/// siglongjmp() as the C library has it, for handlers of signals: the one that programs call is
/// looked at when a kernel does.
[[noreturn]] void jump_to(sigjmp_buf& target);

}  // namespace okksim::firmware
