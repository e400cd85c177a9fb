// SPDX-License-Identifier: Apache-2.0
#include "firmware/launch/fault_delivery.h"

#include <utility>

#include "firmware/launch/library_jump.h"

namespace okksim::firmware {

std::atomic<FaultDelivery*> running_delivery = nullptr;
constinit thread_local FaultDelivery* active_delivery = nullptr;

bool in_firmware(const FaultDelivery* delivery) {
    return delivery != nullptr && delivery->runner_active != 0 && delivery->in_runtime == 0;
}

void FaultDelivery::deliver() {
    function = nullptr;
    in_runtime = 0;
    if (mode == DeliveryMode::kJump && runner_active != 0) jump_to(jump_target);
    std::rethrow_exception(std::exchange(exception, nullptr));
}

}  // namespace okksim::firmware
