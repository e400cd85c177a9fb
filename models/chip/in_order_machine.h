// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/chip/machine_params.h"
#include "models/dram/built_in_memories.h"
#include "models/mcu/processor.h"

namespace okksim::models {

/// The chip's times without its modules: a loop over the same sequencer that the modules of Chip
/// step, so both give the same times. Has built-in memories and no data, so its programs must not
/// depend on data.
class InOrderMachine final : public Processor {
 public:
    explicit InOrderMachine(const MachineParams& params);

    /// The observer must outlive the machine.
    void add_observer(CommandObserver& observer);

    void begin_launch() { Processor::begin_launch(); }
    /// The program has returned: waits until all engines are idle and returns the duration since
    /// the first instruction.
    Picoseconds end_launch();
    Picoseconds time() const { return now_; }

    void* local_pointer(isa::LocalAddr) override { return nullptr; }
    void* system_pointer(std::uint64_t) override { return nullptr; }

 private:
    void pass_until(Picoseconds time) override;
    void pass_until_retirement() override;
    void deliver(std::size_t engine, const isa::Command& command) override;
    MemorySystem& memories() override { return memories_; }
    /// Carries out an event; true when a command retires.
    bool act(const Sequencer::Event& event);

    BuiltInMemories memories_;
};

}  // namespace okksim::models
