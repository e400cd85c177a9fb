// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "firmware/fault_delivery.h"
#include "isa/fault.h"

namespace okksim::firmware {

/// The fault of a kernel that has used up its stack; `where`: ", address 0x...", or nothing.
FaultRecord stack_overflow(const std::string& where);

/// The fault that the signal in `delivery` stands for.
FaultRecord signal_fault(const FaultDelivery& delivery, double idle_seconds);

}  // namespace okksim::firmware
