// SPDX-License-Identifier: Apache-2.0
#include "models/chip/in_order_machine.h"

#include <algorithm>

#include "isa/base/errors.h"
#include "models/chip/machine_units.h"

namespace okksim::models {

InOrderMachine::InOrderMachine(const MachineParams& params)
    : Processor(*params.mcu, *params.host, params.shape(), make_sequencer(params)),
      memories_(memory_entries(params)) {}

void InOrderMachine::add_observer(CommandObserver& observer) {
    Processor::add_observer(observer);
    memories_.add_observer(observer);
}

Picoseconds InOrderMachine::end_launch() {
    Processor::end_launch();
    return now_ - launch_start_;
}

bool InOrderMachine::act(const Sequencer::Event& event) {
    if (event.kind == Sequencer::Event::Kind::kStart) {
        sequencer().start(event.engine, memories_);
        return false;
    }
    if (!sequencer().finish(event.engine)) return false;
    for (CommandObserver* observer : observers()) {
        observer->retired(sequencer().command(event.engine), sequencer().times(event.engine));
    }
    sequencer().retire(event.engine);
    return true;
}

void InOrderMachine::pass_until(Picoseconds time) {
    for (auto next = sequencer().next_event(); next && next->time <= time;
         next = sequencer().next_event()) {
        act(*next);
    }
    now_ = std::max(now_, time);
}

void InOrderMachine::pass_until_retirement() {
    auto next = sequencer().next_event();
    OKKSIM_CHECK(next.has_value());
    while (!act(*next)) {
        next = sequencer().next_event();
        OKKSIM_CHECK(next.has_value());
    }
    pass_until(next->time);
}

void InOrderMachine::deliver(std::size_t engine, const isa::Command& command) {
    sequencer().submit(engine, command, now_);
}

}  // namespace okksim::models
