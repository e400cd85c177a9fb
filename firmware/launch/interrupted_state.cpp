// SPDX-License-Identifier: Apache-2.0
#include "firmware/launch/interrupted_state.h"

namespace okksim::firmware {

const void* stack_pointer_of(const ucontext_t& state) {
#if defined(__x86_64__)
    return reinterpret_cast<const void*>(state.uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
    return reinterpret_cast<const void*>(state.uc_mcontext.sp);
#else
    return nullptr;
#endif
}

const void* program_counter_of(const ucontext_t& state) {
#if defined(__x86_64__)
    return reinterpret_cast<const void*>(state.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return reinterpret_cast<const void*>(state.uc_mcontext.pc);
#else
    return nullptr;
#endif
}

}  // namespace okksim::firmware
