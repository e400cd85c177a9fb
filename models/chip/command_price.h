// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "models/chip/machine_params.h"
#include "models/sequencer/command_observer.h"

namespace okksim::models {

/// What a command costs its engine on a machine that does nothing else: the laws of bdc_timing.h,
/// gdma_timing.h and of a memory at rest. The control processor's share is not in it. Pure.
CommandCost price_alone(const isa::Command& command, const isa::MachineShape& shape,
                        const MachineParams& params);

}  // namespace okksim::models
