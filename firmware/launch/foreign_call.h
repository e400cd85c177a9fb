// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "firmware/launch/fault_delivery.h"

namespace okksim::firmware {

/// Notes that a thread other than the kernel's has called the API function `function`, whose frame
/// address is `frame`. Only the first such call of a launch counts.
void note_foreign_call(FaultDelivery& running, const char* function, const void* frame);

/// Throws the fault of the call that note_foreign_call() has noted.
[[noreturn]] void throw_noted_call(FaultDelivery& delivery);

/// Throws ProgramFault (kBadState) when another thread has called the API while the kernel ran.
inline void throw_foreign_call(FaultDelivery& delivery) {
    if (delivery.foreign_call.load(std::memory_order_relaxed) == nullptr) [[likely]]
        return;
    throw_noted_call(delivery);
}

}  // namespace okksim::firmware
