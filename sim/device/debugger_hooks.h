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

/// Gives debuggers access to the running chip, and makes commands take effect when they are issued.
/// The C functions in debugger_hooks.cpp are called by sim/debugger/okksim-gdb.py, which also sets
/// breakpoints on them. Add the object to the observers of a chip without data, which only times
/// its commands. Only one object may exist at a time.
class DebuggerHooks : public models::CommandObserver {
 public:
    DebuggerHooks(models::Chip& chip, const isa::MachineShape& machine);
    ~DebuggerHooks() override;
    DebuggerHooks(const DebuggerHooks&) = delete;
    DebuggerHooks& operator=(const DebuggerHooks&) = delete;

    /// Executes the command. Exceptions of its semantics pass into the call that issues it.
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
