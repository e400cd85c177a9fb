// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/run_observers.h"

namespace okksim::sim::trace {

RunObservers::RunObservers(Simulation& simulation, const ObserverOptions& options)
    : simulation_(simulation), accountant_(simulation.machine().params) {
    models::Chip& chip = simulation.chip();
    chip.add_observer(accountant_);
    if (!options.record.empty()) {
        if (options.record_crc) {
            recorder_.emplace(options.record, simulation.machine(), chip.local_memory(),
                              chip.system_memory());
        } else {
            recorder_.emplace(options.record, simulation.machine());
        }
        chip.add_observer(*recorder_);
    }
    if (!options.vcd.empty()) simulation.trace_vcd(options.vcd);
    if (!options.timeline.empty()) {
        timeline_.emplace(options.timeline, simulation.machine());
        chip.add_observer(*timeline_);
        accountant_.add_listener(*timeline_);
    }
    if (!options.commands.empty()) {
        commands_.emplace(options.commands, simulation.machine());
        accountant_.add_listener(*commands_);
    }
}

void RunObservers::name_launch(const std::string& name) {
    accountant_.name_launch(name);
    if (recorder_) recorder_->name_launch(name);
    if (timeline_) timeline_->name_launch(name);
}

void RunObservers::finish() {
    if (recorder_) recorder_->finish();
    if (timeline_) timeline_->finish();
    if (commands_) commands_->finish();
    simulation_.finish_vcd();
}

}  // namespace okksim::sim::trace
