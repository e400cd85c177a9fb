// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace okksim::firmware {

/// The function that a launch calls.
using KernelEntry = void (*)(const void* args);

}  // namespace okksim::firmware
