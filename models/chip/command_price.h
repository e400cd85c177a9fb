// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "models/chip/machine_params.h"
#include "models/dram/built_in_memories.h"
#include "models/sequencer/sequencer.h"

namespace okksim::models {

/// Computes the cost of a command on an idle machine, with the cost formulas of its engines and
/// idle memories. Earlier calls have no influence.
class CommandPricer {
 public:
    explicit CommandPricer(const MachineParams& params);

    /// Returns the cost of a command for its engine, without the control processor's share.
    CommandCost price(const isa::Command& command);

 private:
    /// Memories that are idle at every request.
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
