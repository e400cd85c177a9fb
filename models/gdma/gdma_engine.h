// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include "models/chip/engine.h"
#include "models/dram/transfer_extension.h"
#include "models/gdma/gdma_timing.h"

namespace okksim::models {

/// The data mover: prices its own part with gdma_timing, asks the memories behind `mem_out` for
/// theirs, and combines the two as GdmaCost says.
class GdmaEngine : public Engine {
 public:
    tlm_utils::simple_initiator_socket<GdmaEngine> mem_out{"mem_out"};

    GdmaEngine(const sc_core::sc_module_name& name, const GdmaParams& params,
               const isa::MachineShape& shape, std::size_t queue_depth, SyncUnit& sync);

 protected:
    CommandCost cost_of(const isa::Command& command) override;

 private:
    /// What the memory replies to an access that starts `delay` from now.
    MemoryReply access(MemoryDirection direction, const MemoryRequest& request, Picoseconds delay);

    GdmaParams params_;
    isa::MachineShape shape_;
    Clock clock_;
    TransferSender transfers_;
};

}  // namespace okksim::models
