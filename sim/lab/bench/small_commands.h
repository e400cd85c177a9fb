// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/device/chip_device.h"

namespace okksim::sim::bench {

/// Launches a kernel that issues `count` additions of a 1x64x7x7 tensor, through firmware call,
/// checks, queues, engines, effect and retirement. Returns the processor time in seconds.
double run_small_commands(Simulation& simulation, int count);

}  // namespace okksim::sim::bench
