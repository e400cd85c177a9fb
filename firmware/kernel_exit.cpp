// SPDX-License-Identifier: Apache-2.0
#include "firmware/kernel_exit.h"

#include "firmware/kernel_runner.h"

namespace okksim::firmware {

constinit thread_local FaultDelivery* active_delivery = nullptr;
constinit thread_local sigjmp_buf* stack_reading = nullptr;

namespace {

const void* stack_pointer_of(const ucontext_t& state) {
#if defined(__x86_64__)
    return reinterpret_cast<const void*>(state.uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
    return reinterpret_cast<const void*>(state.uc_mcontext.sp);
#else
    return nullptr;
#endif
}

}  // namespace

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
    // A fault while the stack is read comes back here; what was found until then is kept.
    sigjmp_buf reading;
    if (sigsetjmp(reading, 0) == 0) {
        stack_reading = &reading;
        capture_interrupted_call_stack(stack, stack_pointer_of(state), program_counter_of(state),
                                       kernel_invoker());
    }
    stack_reading = nullptr;
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
    siglongjmp(delivery.jump_target, 1);
}

}  // namespace okksim::firmware
