// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "firmware/launch/fault_delivery.h"
#include "isa/base/fault.h"

namespace okksim::firmware {

/// Returns the fault for the signal in `delivery`.
FaultRecord signal_fault(const FaultDelivery& delivery, double idle_seconds);

}  // namespace okksim::firmware
