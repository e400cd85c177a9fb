// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/kernel_commands.h"

#include "isa/base/errors.h"
#include "sim/device/chip_device.h"
#include "sim/trace/call_replay.h"

namespace okksim::sim::fidelity {
namespace {

class Recorder : public isa::CommandPort {
 public:
    Recorder(const Machine& machine, trace::KeptCommands& kept)
        : shape_(machine.params.shape()), kept_(kept) {}

    const isa::MachineShape& machine() const override { return shape_; }
    void submit(const isa::Command& command) override { kept_.add(command); }
    void wait_until_idle() override { kept_.add(trace::KeptCommands::Poll{}); }
    void charge(isa::FirmwareCall call) override { kept_.add(trace::KeptCommands::Calls{call}); }
    /// Never called: recorded calls are calls of okk.h, and none reports computing.
    void compute(const isa::Computation&) override { OKKSIM_CHECK(false); }
    void access(const isa::ProcessorAccess& access) override { kept_.add(access); }
    void* local_pointer(isa::LocalAddr) override { return nullptr; }
    void* system_pointer(std::uint64_t) override { return nullptr; }

 private:
    isa::MachineShape shape_;
    trace::KeptCommands& kept_;
};

}  // namespace

KernelCommands::KernelCommands(const std::filesystem::path& call_trace, const Machine& machine) {
    kept_.add(trace::KeptCommands::Launch{});
    Recorder recorder(machine, kept_);
    trace::CallTraceReader trace(call_trace, recorder.machine());
    firmware::Context context(recorder, context_options(machine));
    context.begin_launch();
    trace::make_calls(context, trace);
}

}  // namespace okksim::sim::fidelity
