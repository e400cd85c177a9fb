// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/base/fault.h"

namespace okksim::firmware {

/// The reason why a launch does not continue.
enum class Standstill : std::uint8_t {
    kCall,   ///< an API function does not return
    kWaits,  ///< the kernel's own code sleeps or waits
    kLoops,  ///< the kernel computes where no jump can leave it
};

/// Returns the fault of a launch that was ended because it did not continue. `function` is the call
/// that did not return, if any.
FaultRecord standstill_fault(Standstill kind, double seconds, const char* function);

}  // namespace okksim::firmware
