// SPDX-License-Identifier: Apache-2.0
#include "firmware/leave/kernel_exit.h"

#include "firmware/launch/call_stack.h"
#include "firmware/launch/interrupted_state.h"
#include "firmware/launch/library_jump.h"

namespace okksim::firmware {

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
