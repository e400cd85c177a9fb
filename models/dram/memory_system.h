// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "models/dram/dram_timing.h"

namespace okksim::models {

/// A question to a memory: a request with all that decides when it is served.
struct MemoryAccess {
    MemoryRequest request;
    MemoryDirection direction = MemoryDirection::kRead;
    Picoseconds arrival;  ///< at the memory; not before the present time of whoever asks
    Arbitration arbitration = Arbitration::kArrival;
    /// The command that wants it, for memories that move its data; nullptr: the processor's own.
    const isa::Command* command = nullptr;
};

/// The system memories as whoever sequences commands sees them: it only asks when. The built-in
/// memories answer by the law of MemoryPort, at once; an implementation by b_transport asks modules
/// outside and may let simulated time pass meanwhile.
///
/// Questions come in the order in which the memories serve them, and each is asked once. For the
/// built-in memories data moves when the command completes; what it reads is there at the time of
/// the question, because the command has started.
class MemorySystem {
 public:
    virtual ~MemorySystem() = default;
    /// When the memory that holds `access.request.address` serves it. The address lies in a memory:
    /// commands and loads have been checked.
    virtual MemoryReply serve(const MemoryAccess& access) = 0;
};

/// Watches what every channel of global memory does.
class ChannelObserver {
 public:
    virtual ~ChannelObserver() = default;
    /// A channel of global memory serves its part of a request; told when the request is made, so
    /// the interval may lie in the future. A channel's intervals follow one another in order:
    /// what takes turns with a request under way is told as if it came behind that.
    virtual void memory_channel(const ChannelUse& use) { (void)use; }
};

}  // namespace okksim::models
