// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "isa/types.h"
#include "models/chip/machine_params.h"
#include "models/sequencer/command_observer.h"
#include "sim/trace/engine_list.h"

namespace okksim::sim::trace {

/// Time in which an engine works on commands of one owner.
struct EngineBar {
    std::size_t engine = 0;  ///< index in the machine's list
    std::uint32_t owner = 0;
    models::Picoseconds begin, end;
};

/// A live range of bytes [low, high) in every lane. It begins with the command that writes them and
/// ends with the last read before the next write.
struct LocalBar {
    std::int64_t low = 0, high = 0;
    std::uint32_t owner = 0;  ///< of the writing command
    models::Picoseconds begin, end;
};

/// Collects a launch for a picture of engines and local memory over time. Add it to a machine's
/// observers before a launch.
class RunPicture : public models::CommandObserver {
 public:
    /// `owner_of` returns the index of the operator whose command completed last.
    RunPicture(const models::MachineParams& machine, std::function<std::uint32_t()> owner_of);

    void retired(const isa::Command& command, const models::CommandTimes& times) override;

    /// Returns the engines' intervals in order of begin. Intervals of one owner on one engine
    /// become one if they are at most `gap` apart.
    std::vector<EngineBar> engines(models::Picoseconds gap) const;
    std::vector<LocalBar> local_memory() const;
    const EngineList& engine_list() const { return engine_list_; }

 private:
    struct Access {
        std::int64_t low = 0, high = 0;
        bool reads = false, writes = false;
        std::uint32_t owner = 0;
        models::Picoseconds begin, end;
    };

    isa::MachineShape shape_;
    EngineList engine_list_;
    std::function<std::uint32_t()> owner_of_;
    std::vector<EngineBar> bars_;
    std::vector<Access> accesses_;
};

}  // namespace okksim::sim::trace
