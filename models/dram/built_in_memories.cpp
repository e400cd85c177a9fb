// SPDX-License-Identifier: Apache-2.0
#include "models/dram/built_in_memories.h"

#include "isa/base/errors.h"

namespace okksim::models {

BuiltInMemories::BuiltInMemories(const std::vector<MemoryEntry>& memories) {
    for (const MemoryEntry& entry : memories) {
        memories_.push_back({entry.region, MemoryPort(*entry.law), entry.is_observed});
    }
}

MemoryReply BuiltInMemories::serve(const MemoryAccess& access) {
    for (Memory& memory : memories_) {
        if (!memory.region.holds(access.request.address)) continue;
        const MemoryReply reply =
            memory.port.serve(access.request, access.direction, access.arrival, access.arbitration);
        if (memory.is_observed) {
            for (ChannelObserver* observer : observers_) {
                for (const ChannelUse& use : memory.port.last_uses()) observer->memory_channel(use);
            }
        }
        return reply;
    }
    OKKSIM_CHECK(false);
}

}  // namespace okksim::models
