// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "firmware/host/device.h"

namespace okksim::sim {

/// Returns the device of host programs. Environment variables correspond to flags of `okksim
/// kernel`. They are OKKSIM_MACHINE, OKKSIM_SET, OKKSIM_THREADS, OKKSIM_COMMAND_BUDGET,
/// OKKSIM_IDLE_SECONDS, OKKSIM_CALL_SECONDS, OKKSIM_POINTER_SHARE and OKKSIM_QUARANTINE.
/// OKKSIM_RECORD, OKKSIM_TIMELINE and OKKSIM_COMMANDS name files that are complete when the program
/// has ended.
std::unique_ptr<firmware::host::Device> make_device_from_environment();

}  // namespace okksim::sim
