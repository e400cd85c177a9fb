// SPDX-License-Identifier: Apache-2.0
#include "sim/fidelity/kernel_commands.h"

#include "isa/errors.h"
#include "models/chip/in_order_machine.h"
#include "sim/device/chip_device.h"
#include "sim/trace/call_replay.h"

namespace okksim::sim::fidelity {

class KernelCommands::Recorder : public isa::CommandPort {
 public:
    Recorder(const Machine& machine, std::vector<Event>& events)
        : shape_(machine.params.shape()), events_(events) {}

    const isa::MachineShape& machine() const override { return shape_; }
    void submit(const isa::Command& command) override { events_.emplace_back(command); }
    void wait_until_idle() override { events_.emplace_back(Poll{}); }
    void charge(isa::FirmwareCall call) override { events_.emplace_back(call); }
    /// The recorded calls are those of okk.h: none tells of computing.
    void compute(const isa::Computation&) override { OKKSIM_CHECK(false); }
    void access(const isa::ProcessorAccess& access) override { events_.emplace_back(access); }
    void* local_pointer(isa::LocalAddr) override { return nullptr; }
    void* system_pointer(std::uint64_t) override { return nullptr; }

 private:
    isa::MachineShape shape_;
    std::vector<Event>& events_;
};

KernelCommands::KernelCommands(const std::filesystem::path& call_trace, const Machine& machine) {
    Recorder recorder(machine, events_);
    trace::CallTraceReader trace(call_trace, recorder.machine());
    firmware::Context context(recorder, context_options(machine));
    context.begin_launch();
    trace::make_calls(context, trace);
}

double KernelCommands::microseconds(const Machine& machine) const {
    models::InOrderMachine port(machine.params);
    port.begin_launch();
    for (const Event& event : events_) {
        if (const auto* command = std::get_if<isa::Command>(&event)) {
            port.submit(*command);
        } else if (const auto* call = std::get_if<isa::FirmwareCall>(&event)) {
            port.charge(*call);
        } else if (const auto* access = std::get_if<isa::ProcessorAccess>(&event)) {
            port.access(*access);
        } else {
            port.wait_until_idle();
        }
    }
    const models::HostParams& host = machine.params.host;
    return port.end_launch().microseconds() +
           (host.launch_nanoseconds + host.sync_nanoseconds) * 1e-3;
}

}  // namespace okksim::sim::fidelity
