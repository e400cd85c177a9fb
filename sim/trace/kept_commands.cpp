// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/kept_commands.h"

#include "models/chip/in_order_machine.h"
#include "models/mcu/host_params.h"

namespace okksim::sim::trace {
namespace {

/// Times events on a machine, in order.
class Timing {
 public:
    explicit Timing(const Machine& machine)
        : port_(machine.params),
          host_us_(
              (machine.params.host->launch_nanoseconds + machine.params.host->sync_nanoseconds) *
              1e-3) {}

    void operator()(const KeptCommands::Launch&) {
        end();
        running_ = true;
        port_.begin_launch();
    }
    void operator()(const KeptCommands::Poll&) { port_.wait_until_idle(); }
    void operator()(const KeptCommands::Calls& calls) { port_.charge(calls.call, calls.count); }
    void operator()(const isa::Computation& computation) { port_.compute(computation); }
    void operator()(const isa::ProcessorAccess& access) { port_.access(access); }
    void operator()(const isa::Command& command) { port_.submit(command); }

    double finish() {
        end();
        return microseconds_;
    }

 private:
    void end() {
        if (running_) microseconds_ += port_.end_launch().microseconds() + host_us_;
        running_ = false;
    }

    models::InOrderMachine port_;
    double host_us_;
    double microseconds_ = 0;
    bool running_ = false;
};

}  // namespace

double KeptCommands::microseconds(const Machine& machine) const {
    Timing timing(machine);
    for (const Event& event : events_) std::visit(timing, event);
    return timing.finish();
}

std::optional<Band> BandObserver::band(const Ensemble& ensemble) const {
    if (kept_.size() == 0) return std::nullopt;
    std::vector<double> times;
    for (const Machine& machine : ensemble.machines()) {
        times.push_back(kept_.microseconds(machine));
    }
    return ensemble.band(std::move(times));
}

}  // namespace okksim::sim::trace
