// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "isa/types.h"
#include "models/dram/memory_system.h"

namespace okksim::models {

/// One system memory of a machine: a row of its list of memories.
struct MemoryEntry {
    std::string name;  ///< "dram", "l2", "dtcm" or the name in the machine file
    isa::MemoryRegion region;
    Section<DramParams> law;
    bool is_observed = false;  ///< observers hear of its channels
};

/// Memories that answer at once by the built-in cost model.
class BuiltInMemories : public MemorySystem {
 public:
    explicit BuiltInMemories(const std::vector<MemoryEntry>& memories);

    /// The observer must outlive the memories.
    void add_observer(ChannelObserver& observer) { observers_.push_back(&observer); }
    MemoryReply serve(const MemoryAccess& access) override;
    /// Forgets all requests; the next request finds its memory idle.
    void rest() {
        for (Memory& memory : memories_) memory.port.rest();
    }

 private:
    struct Memory {
        isa::MemoryRegion region;
        MemoryPort port;
        bool is_observed;
    };

    std::vector<Memory> memories_;
    std::vector<ChannelObserver*> observers_;
};

}  // namespace okksim::models
