// SPDX-License-Identifier: Apache-2.0
#include "firmware/kernel_exit.h"

#include "firmware/jump_guard.h"
#include "firmware/kernel_runner.h"

namespace okksim::firmware {

constinit thread_local FaultDelivery* active_delivery = nullptr;
constinit thread_local sigjmp_buf* stack_reading = nullptr;

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

bool in_firmware(const FaultDelivery* delivery) {
    return delivery != nullptr && delivery->runner_active != 0 && delivery->in_runtime == 0;
}

void capture_interrupted(RawCallStack& stack, const ucontext_t& state) {
    read_stack([&] {
        capture_interrupted_call_stack(stack, stack_pointer_of(state), program_counter_of(state),
                                       kernel_invoker());
    });
    if (stack.count == 0) {
        stack.addresses[0] = program_counter_of(state);
        stack.count = 1;
    }
}

void leave_kernel(FaultDelivery& delivery, int number, const siginfo_t& info,
                  const ucontext_t& state) {
    SignalReport& report = delivery.signal;
    report.number = number;
    report.code = info.si_code;
    report.address = info.si_addr;
    report.stack_pointer = stack_pointer_of(state);
    capture_interrupted(report.call_stack, state);
    jump_to(delivery.jump_target);
}

}  // namespace okksim::firmware
