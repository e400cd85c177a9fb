// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "isa/command.h"
#include "models/sequencer/command_observer.h"

namespace okksim::models {
class Chip;
}

namespace okksim::sim {

/// Has commands take effect when they are issued, and gives debuggers a hold of the running chip:
/// functions with C names (debugger_hooks.cpp) that sim/debugger/okksim-gdb.py calls and sets
/// breakpoints on. Add it to the observers of a chip without data: whose own commands have no
/// effect, but take their time. One at a time.
class DebuggerHooks : public models::CommandObserver {
 public:
    DebuggerHooks(models::Chip& chip, const isa::MachineShape& machine);
    ~DebuggerHooks() override;
    DebuggerHooks(const DebuggerHooks&) = delete;
    DebuggerHooks& operator=(const DebuggerHooks&) = delete;

    /// Carries the command out: throws what its semantics throw, into the call that issues it.
    void submitted(const isa::Command& command) override;
    void retired(const isa::Command& command, const models::CommandTimes& times) override;

    models::Chip& chip() { return chip_; }
    const isa::MachineShape& machine() const { return machine_; }
    /// Commands of all launches, by kind of engine.
    const std::array<std::uint64_t, isa::kEngineKinds>& issued() const { return issued_; }
    const std::array<std::uint64_t, isa::kEngineKinds>& completed() const { return completed_; }
    models::Picoseconds last_end() const { return last_end_; }

 private:
    models::Chip& chip_;
    isa::MachineShape machine_;
    models::LanePool pool_;
    std::uint64_t number_ = 0;
    std::array<std::uint64_t, isa::kEngineKinds> issued_{};
    std::array<std::uint64_t, isa::kEngineKinds> completed_{};
    models::Picoseconds last_end_;
};

}  // namespace okksim::sim
