// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "firmware/launch/fault_delivery.h"
#include "isa/base/fault.h"

namespace okksim::firmware {

/// The fault that the signal in `delivery` stands for.
FaultRecord signal_fault(const FaultDelivery& delivery, double idle_seconds);

}  // namespace okksim::firmware
