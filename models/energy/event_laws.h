// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "isa/command_port.h"
#include "models/chip/machine_params.h"
#include "models/energy/event_counts.h"
#include "models/gdma/gdma_timing.h"

namespace okksim::models::energy {

/// Counts the events of commands on a machine. The counts depend on the command and on the
/// machine's dimensions, not on times and energies.
class EventLaws {
 public:
    explicit EventLaws(const MachineParams& machine);

    /// Counts a checked command.
    CommandEvents of(const isa::Command& command) const;
    /// Counts a command whose transfer is already known.
    CommandEvents of_transfer(const GdmaTransfer& transfer) const;
    /// Counts a load or store of the control processor.
    Traffic of(const isa::ProcessorAccess& access) const;

 private:
    void add_request(const MemoryRequest& request, MemoryDirection direction,
                     Traffic& traffic) const;

    isa::MachineShape shape_;
    Section<BdcParams> bdc_;
    Section<McuParams> mcu_;
    Section<DramParams> dram_;
};

}  // namespace okksim::models::energy
