// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "isa/command_port.h"
#include "models/chip/command_observer.h"
#include "models/chip/machine_params.h"
#include "models/dram/dram_timing.h"
#include "models/memory/banks.h"

namespace okksim::models {

/// The chip's times without its modules: both engines start their commands in order, so every time
/// follows from earlier ones. Gives exactly the times of Chip (models/chip/README.md) at a fraction
/// of the cost; has no memories, so it serves programs that do not look at data.
///
/// A memory serves requests in the order in which they are made. The processor may make one of its
/// own before a command that it has submitted starts, so a command of the data mover is timed only
/// when the processor's time has reached its start.
///
/// Observers see commands retire as soon as their times are known: in program order, not in order
/// of time.
class InOrderMachine : public isa::CommandPort {
 public:
    explicit InOrderMachine(const MachineParams& params);

    /// The observer must outlive the machine.
    void add_observer(CommandObserver& observer) { observers_.push_back(&observer); }

    /// A launch: time passes as between the host's call and the first instruction; ids restart.
    /// What is left of a launch that did not end is forgotten.
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
    void compute(const isa::Computation& computation) override;
    void access(const isa::ProcessorAccess& access) override;
    void* local_pointer(isa::LocalAddr) override { return nullptr; }
    void* system_pointer(std::uint64_t) override { return nullptr; }

 private:
    /// A command that has been submitted and not been told to the observers.
    struct Pending {
        isa::Command command;
        CommandTimes times;                  ///< until it is timed, `queued` alone
        isa::CommandId other_submitted = 0;  ///< of the other engine, when this one was queued
        bool is_timed = false;
    };
    /// One engine: when the latest of its timed commands end. Older ones have ended before any that
    /// is not timed yet can start, because a queue holds no more than `ends` does.
    struct EngineState {
        std::vector<Picoseconds> ends;
        std::vector<BankUse> uses;  ///< empty unless the engines interfere
        isa::CommandId submitted = 0;
        isa::CommandId timed = 0;
        std::deque<std::uint64_t> waiting;  ///< numbers of its commands that are not timed
        Picoseconds end_of(isa::CommandId id) const;
        void add(const BankUse& use);
    };

    EngineState& engine(isa::Engine kind) { return engines_[static_cast<std::size_t>(kind)]; }
    const EngineState& other_than(isa::Engine kind) const {
        return engines_[kind == isa::Engine::kGdma ? 1 : 0];
    }
    Pending& pending(std::uint64_t number) { return pending_[number - first_pending_]; }
    /// The oldest command of an engine that is not timed, or nullptr.
    Pending* head(isa::Engine kind);
    /// Whether all that a command waits for is timed.
    bool has_known_start(const Pending& head);
    Picoseconds start_of(const Pending& head);
    /// Times an engine's oldest command that is not timed.
    void time_head(isa::Engine kind);
    /// Times every command of the compute engine that does not depend on the data mover's next one:
    /// it makes no request, so nothing can come in between.
    void time_compute();
    bool may_meet_next_transfer(const Pending& compute);
    /// Times what starts up to `limit`, before which the processor makes no request.
    void advance(Picoseconds limit);
    /// Times the commands of an engine up to `id`, for whose end the processor waits.
    void settle(EngineState& state, isa::CommandId id);
    /// Tells the observers about commands whose times are known.
    void retire();
    CommandCost cost_of(const isa::Command& command, Picoseconds start);
    MemoryReply serve(std::uint64_t address, const MemoryRequest& request,
                      MemoryDirection direction, Picoseconds arrival, Arbitration arbitration);
    MemoryPort& memory_at(std::uint64_t address);
    /// What a command loses to commands of the other engine up to `issued_before`.
    Picoseconds stall(const BankUse& use, const EngineState& other,
                      isa::CommandId issued_before) const;
    void spend();
    void wait_for_engines();
    void pass(ProcessorState state, Picoseconds end);

    MachineParams params_;
    isa::MachineShape shape_;
    Clock mcu_clock_, gdma_clock_, bdc_clock_;
    MemoryPort dram_, l2_, dtcm_;
    std::array<EngineState, 2> engines_;
    std::deque<Pending> pending_;  ///< in program order, from number `first_pending_` on
    std::uint64_t first_pending_ = 0;
    std::vector<CommandObserver*> observers_;
    Picoseconds now_;  ///< of the control processor
    Picoseconds launch_start_;
    Cycles calls_;      ///< made and not spent
    Cycles computing_;  ///< told of and not spent
};

}  // namespace okksim::models
