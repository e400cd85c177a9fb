// SPDX-License-Identifier: Apache-2.0
#include "models/chip/command_price.h"

#include "models/chip/machine_units.h"

namespace okksim::models {

CommandPricer::CommandPricer(const MachineParams& params)
    : engines_(make_sequencer(params)), memories_(memory_entries(params)) {}

CommandCost CommandPricer::price(const isa::Command& command) {
    return engines_.entry(engines_.engine_of(command)).cost(command, {}, memories_);
}

}  // namespace okksim::models
