// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "models/chip/machine_params.h"
#include "models/dram/built_in_memories.h"
#include "models/sequencer/sequencer.h"

namespace okksim::models {

/// Prices commands on a machine that does nothing else: by the laws of its engines, and of memories
/// at rest. What was priced before does not matter.
class CommandPricer {
 public:
    explicit CommandPricer(const MachineParams& params);

    /// What a command costs its engine. The control processor's share is not in it.
    CommandCost price(const isa::Command& command);

 private:
    /// Every request finds its memory idle.
    class MemoriesAtRest : public BuiltInMemories {
     public:
        using BuiltInMemories::BuiltInMemories;
        MemoryReply serve(const MemoryAccess& access) override {
            rest();
            return BuiltInMemories::serve(access);
        }
    };

    Sequencer engines_;
    MemoriesAtRest memories_;
};

}  // namespace okksim::models
