// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/command_port.h"
#include "models/chip/command_observer.h"
#include "models/chip/machine_params.h"
#include "models/dram/dram_timing.h"
#include "models/memory/banks.h"

namespace okksim::models {

/// The chip's times without its modules: both engines start their commands in order, so every time
/// follows from earlier ones, and a command's times are known as soon as it is submitted. Gives
/// exactly the times of Chip (models/chip/README.md) at a fraction of the cost; has no memories, so
/// it serves programs that do not look at data.
///
/// Observers see a command retire when it is submitted: in program order, not in order of time.
class InOrderMachine : public isa::CommandPort {
 public:
    explicit InOrderMachine(const MachineParams& params);

    /// The observer must outlive the machine.
    void add_observer(CommandObserver& observer) { observers_.push_back(&observer); }

    /// A launch: time passes as between the host's call and the first instruction; ids restart.
    void begin_launch();
    /// The program has returned: waits until both engines are idle and returns the duration since
    /// the first instruction.
    Picoseconds end_launch();
    Picoseconds time() const { return now_; }

    const isa::MachineShape& machine() const override { return shape_; }
    /// The command must wait only for commands that have been submitted.
    void submit(const isa::Command& command) override;
    void wait_until_idle() override;
    void charge(isa::FirmwareCall call) override { charge(call, 1); }
    /// `count` equal calls in a row.
    void charge(isa::FirmwareCall call, std::uint64_t count);
    void* local_pointer(isa::LocalAddr) override { return nullptr; }
    void* system_pointer(std::uint64_t) override { return nullptr; }

 private:
    /// One engine: when its latest commands end. Older ones have ended before anything that can
    /// still be submitted, because a queue holds no more than `ends` does.
    struct EngineState {
        std::vector<Picoseconds> ends;
        std::vector<BankUse> uses;  ///< empty unless the engines interfere
        isa::CommandId submitted = 0;
        Picoseconds end_of(isa::CommandId id) const;
        void add(const BankUse& use);
    };

    EngineState& engine(isa::Engine kind) { return engines_[static_cast<std::size_t>(kind)]; }
    CommandCost cost_of(const isa::Command& command, Picoseconds start);
    MemoryReply access(const MemoryRequest& request, MemoryDirection direction,
                       Picoseconds arrival);
    MemoryPort& memory_at(std::uint64_t address);
    /// What a command loses to commands of the other engine that were issued before it.
    Picoseconds stall(const BankUse& use, const EngineState& other) const;
    void spend();
    void wait_for_engines();
    void pass(ProcessorState state, Picoseconds end);

    MachineParams params_;
    isa::MachineShape shape_;
    Clock mcu_clock_, gdma_clock_, bdc_clock_;
    MemoryPort dram_, l2_, dtcm_;
    std::array<EngineState, 2> engines_;
    std::vector<CommandObserver*> observers_;
    Picoseconds now_;  ///< of the control processor
    Picoseconds launch_start_;
    Cycles unspent_;
};

}  // namespace okksim::models
