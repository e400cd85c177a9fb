// SPDX-License-Identifier: Apache-2.0
#include "firmware/launch/library_jump.h"

#include <cstdlib>

#include "firmware/launch/next_definition.h"

namespace okksim::firmware {
namespace {

// dlsym() is not safe in a signal handler, so the lookup happens when the library is loaded.
auto* const next_siglongjmp = next_of<void(void* target, int value)>("siglongjmp");

}  // namespace

void jump_to(sigjmp_buf& target) {
    next_siglongjmp(target, 1);
    std::abort();
}

}  // namespace okksim::firmware
