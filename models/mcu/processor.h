// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/command_port.h"
#include "models/common/section.h"
#include "models/common/units.h"
#include "models/sequencer/command_observer.h"
#include "models/sequencer/sequencer.h"

namespace okksim::models {

struct HostParams;
struct McuParams;

/// Time of the control processor: cost of calls, writes of commands, and waits for queue room,
/// engines and memories. Owns the sequencer of the engines that it feeds. The derived class lets
/// time pass: the fast machine performs the sequencer's next event, the SystemC module waits.
/// Rules: models/mcu/README.md.
///
/// The engines complete all their steps at a time before the processor acts at that time.
class Processor : public isa::CommandPort {
 public:
    Processor(const McuParams& params, const HostParams& host, const isa::MachineShape& shape,
              Sequencer sequencer);

    /// Watches programs, commands at their submission and the processor's states. The observer must
    /// outlive the processor.
    void add_observer(CommandObserver& observer) { observers_.push_back(&observer); }

    const isa::MachineShape& machine() const override { return shape_; }
    void submit(const isa::Command& command) override;
    void wait_until_idle() override;
    void charge(isa::FirmwareCall call) override { charge(call, 1); }
    /// `count` equal calls in a row.
    void charge(isa::FirmwareCall call, std::uint64_t count);
    void compute(const isa::Computation& computation) override;
    void access(const isa::ProcessorAccess& access) override;
    std::uint64_t progress() const override { return sequencer_.retired(); }

    Sequencer& sequencer() { return sequencer_; }
    const Sequencer& sequencer() const { return sequencer_; }

 protected:
    /// Starts a launch: passes the time from the host's call to the first instruction; ids restart.
    /// Discards the rest of a launch that did not end.
    void begin_launch();
    /// The program has returned: waits until all engines are idle.
    void end_launch();

    /// Lets time pass until `time`. On return the engines have completed all steps up to then.
    /// `time` may be in the past.
    virtual void pass_until(Picoseconds time) = 0;
    /// Lets time pass until a command retires and the engines have completed all steps at that
    /// time. There is a command to retire.
    virtual void pass_until_retirement() = 0;
    /// Hands a command to its engine now; the engine has room.
    virtual void deliver(std::size_t engine, const isa::Command& command) = 0;
    /// Returns the memories as the processor sees them.
    virtual MemorySystem& memories() = 0;

    const std::vector<CommandObserver*>& observers() const { return observers_; }

    Picoseconds now_;  ///< the processor's time; set by the functions that let time pass
    Picoseconds launch_start_;

 private:
    /// Lets time catch up with the cost of the calls and of the arithmetic so far.
    void spend();
    /// End times of the calls and of the arithmetic, if they begin now.
    struct Ends {
        Picoseconds calls, computing;
    };
    Ends own_ends() const;
    void wait_for_engines();
    void end_list_section();
    bool ids_run_out() const;
    /// Reports a non-empty interval to the observers.
    void report(ProcessorState state, Picoseconds begin, Picoseconds end) const;

    Section<McuParams> params_;
    Section<HostParams> host_;
    isa::MachineShape shape_;
    Clock clock_;
    Sequencer sequencer_;
    std::vector<CommandObserver*> observers_;
    Cycles calls_;          ///< made and not spent
    Cycles computing_;      ///< reported and not spent
    bool in_list_ = false;  ///< commands come from a list
    /// Ids of the last command of every kind of engine: now, and at the last wait for exhausted
    /// ids.
    std::array<isa::CommandId, isa::kEngineKinds> last_ids_{}, first_ids_{};
};

}  // namespace okksim::models
