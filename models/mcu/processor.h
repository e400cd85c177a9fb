// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/command_port.h"
#include "models/common/units.h"
#include "models/mcu/mcu_params.h"
#include "models/sequencer/command_observer.h"
#include "models/sequencer/sequencer.h"

namespace okksim::models {

/// The control processor's time: what calls cost, when commands are written, how long it waits for
/// room, engines and memories. Owns the sequencer of the engines that it feeds. How time passes is
/// for the derived class to say: the fast machine carries out what the sequencer has next, the
/// SystemC module waits. Rules in models/mcu/README.md.
///
/// Before the processor does anything at a time, the engines have done all that they do at it.
class Processor : public isa::CommandPort {
 public:
    Processor(const McuParams& params, const HostParams& host, const isa::MachineShape& shape,
              Sequencer sequencer);

    /// Watches programs, commands as they are submitted and the processor's states; must outlive
    /// the processor.
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
    /// A launch: time passes as between the host's call and the first instruction; ids restart.
    /// What is left of a launch that did not end is forgotten.
    void begin_launch();
    /// The program has returned: waits until all engines are idle.
    void end_launch();

    /// Lets time pass until `time`; at the end the engines have done all that they do up to then.
    /// `time` may have passed already.
    virtual void pass_until(Picoseconds time) = 0;
    /// Lets time pass until a command retires, there is one, and the engines have done all that
    /// they do at that time.
    virtual void pass_until_retirement() = 0;
    /// Hands a command to its engine, which has room, now.
    virtual void deliver(std::size_t engine, const isa::Command& command) = 0;
    /// The memories as the processor sees them.
    virtual MemorySystem& memories() = 0;

    const std::vector<CommandObserver*>& observers() const { return observers_; }

    Picoseconds now_;  ///< the processor's time; set by those who let it pass
    Picoseconds launch_start_;

 private:
    /// Lets time catch up with the cost of the calls and the computing so far.
    void spend();
    /// When they are over, if they begin now.
    struct Ends {
        Picoseconds calls, computing;
    };
    Ends own_ends() const;
    void wait_for_engines();
    void end_list_section();
    bool ids_run_out() const;
    /// Tells the observers about an interval unless it is empty.
    void report(ProcessorState state, Picoseconds begin, Picoseconds end) const;

    McuParams params_;
    HostParams host_;
    isa::MachineShape shape_;
    Clock clock_;
    Sequencer sequencer_;
    std::vector<CommandObserver*> observers_;
    Cycles calls_;          ///< made and not spent
    Cycles computing_;      ///< told of and not spent
    bool in_list_ = false;  ///< commands come from a list
    /// Ids of the last command of every kind of engine: now, and when the engines were last waited
    /// for because ids ran out.
    std::array<isa::CommandId, isa::kEngineKinds> last_ids_{}, first_ids_{};
};

}  // namespace okksim::models
