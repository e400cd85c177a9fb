// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "models/dram/dram_timing.h"

namespace okksim::models {

/// A request to a memory, with all facts that decide when it is served.
struct MemoryAccess {
    MemoryRequest request;
    MemoryDirection direction = MemoryDirection::kRead;
    Picoseconds arrival;  ///< at the memory; not before the present time of the caller
    Arbitration arbitration = Arbitration::kArrival;
    /// The command of the access, for memories that copy its data; nullptr: an access of the
    /// processor.
    const isa::Command* command = nullptr;
};

/// Interface of the system memories to the sequencer, which only asks for times. The built-in
/// memories answer at once by the cost model of MemoryPort. An implementation with b_transport asks
/// external modules and may let simulated time pass.
///
/// Requests come in the order in which the memories serve them, and each comes once. For the
/// built-in memories the data move when the command completes. Data to read are valid at the time
/// of the request, because the command has started.
class MemorySystem {
 public:
    virtual ~MemorySystem() = default;
    /// Returns when the memory that holds `access.request.address` serves it. The address is in a
    /// memory, because commands and loads have been checked.
    virtual MemoryReply serve(const MemoryAccess& access) = 0;
};

/// Watches the channels of global memory.
class ChannelObserver {
 public:
    virtual ~ChannelObserver() = default;
    /// A channel of global memory serves its part of a request. Called when the request is made, so
    /// the interval may be in the future. Intervals of a channel are in order. A request that
    /// alternates with a current one is reported after that one.
    virtual void memory_channel(const ChannelUse& use) { (void)use; }
};

}  // namespace okksim::models
