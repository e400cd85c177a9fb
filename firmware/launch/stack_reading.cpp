// SPDX-License-Identifier: Apache-2.0
#include "firmware/launch/stack_reading.h"

namespace okksim::firmware {

constinit thread_local sigjmp_buf* stack_reading = nullptr;

}  // namespace okksim::firmware
