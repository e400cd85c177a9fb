// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "firmware/host/device.h"

namespace okksim::sim {

/// The device that host programs get. Environment variables say what `okksim kernel` has flags for:
/// OKKSIM_MACHINE, OKKSIM_SET, OKKSIM_THREADS, OKKSIM_COMMAND_BUDGET, OKKSIM_IDLE_SECONDS,
/// OKKSIM_CALL_SECONDS, OKKSIM_POINTER_SHARE, OKKSIM_QUARANTINE, OKKSIM_RECORD, OKKSIM_TIMELINE and
/// OKKSIM_COMMANDS; the files of the last three are complete when the program has ended.
std::unique_ptr<firmware::host::Device> make_device_from_environment();

}  // namespace okksim::sim
