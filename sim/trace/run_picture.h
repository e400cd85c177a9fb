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

/// An engine works on commands of one owner.
struct EngineBar {
    std::size_t engine = 0;  ///< in the machine's list
    std::uint32_t owner = 0;
    models::Picoseconds begin, end;
};

/// Bytes [low, high) of every lane hold something: from the begin of the command that writes it to
/// the end of the last one that reads it before it is written again.
struct LocalBar {
    std::int64_t low = 0, high = 0;
    std::uint32_t owner = 0;  ///< of who writes it
    models::Picoseconds begin, end;
};

/// Keeps what a launch does, for a picture of it: engines and local memory over time. Add it to a
/// machine's observers before a launch.
class RunPicture : public models::CommandObserver {
 public:
    /// `owner_of` gives the position of the operator whose command was completed last.
    RunPicture(const models::MachineParams& machine, std::function<std::uint32_t()> owner_of);

    void retired(const isa::Command& command, const models::CommandTimes& times) override;

    /// In the order of their begin; bars of one owner that follow each other on an engine within
    /// `gap` are one.
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
