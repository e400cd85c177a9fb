// SPDX-License-Identifier: Apache-2.0
#include "models/mcu/mcu.h"

#include <utility>

#include "isa/errors.h"
#include "models/common/npu_module.h"
#include "models/mcu/mcu_timing.h"

namespace okksim::models {
namespace {

// Firmware keeps arrays on its stack as on the device; untouched pages cost nothing.
constexpr std::size_t kFirmwareStackBytes = std::size_t{8} << 20;

}  // namespace

Mcu::Mcu(const sc_core::sc_module_name& name, const McuParams& params, const HostParams& host,
         const isa::MachineShape& shape, SyncUnit& sync, LocalMemory& local, SystemMemory& system)
    : sc_module(name),
      params_(params),
      host_(host),
      shape_(shape),
      clock_(params.clock_mhz),
      sync_(sync),
      local_(local),
      system_(system) {
    SC_HAS_PROCESS(Mcu);
    SC_THREAD(run);
    set_stack_size(kFirmwareStackBytes);
}

void Mcu::launch(Program program) {
    programs_.push_back(std::move(program));
    launched_.notify(sc_core::SC_ZERO_TIME);
}

void Mcu::run() {
    while (true) {
        while (programs_.empty()) wait(launched_);
        Program program = std::move(programs_.front());
        programs_.pop_front();
        wait(to_sc_time(from_nanoseconds(host_.launch_nanoseconds)));
        sync_.reset();
        const Picoseconds start = now();
        for (CommandObserver* observer : observers_) observer->launch_started(start);
        program.body(*this);
        spend();
        wait_for_engines();
        for (CommandObserver* observer : observers_) observer->launch_finished(now());
        program.finished(start, now());
    }
}

void Mcu::spend() {
    if ((calls_ + computing_).value == 0) return;
    const Picoseconds begin = now();
    const Picoseconds calls = clock_.duration(calls_);
    const Picoseconds duration = clock_.duration(calls_ + computing_);
    calls_ = computing_ = {};
    wait(to_sc_time(duration));
    report(ProcessorState::kCall, begin, begin + calls);
    report(ProcessorState::kComputing, begin + calls, begin + duration);
}

void Mcu::wait_for_engines() {
    const Picoseconds begin = now();
    while (!sync_.idle()) wait(sync_.idle_event());
    report(ProcessorState::kEngineWait, begin, now());
}

void Mcu::report(ProcessorState state, Picoseconds begin, Picoseconds end) const {
    if (begin == end) return;
    for (CommandObserver* observer : observers_) observer->processor(state, begin, end);
}

void Mcu::submit(const isa::Command& command) {
    // Spent in one piece, so that the sum is rounded once; the command's share comes last.
    const Picoseconds begin = now();
    const Picoseconds calls = clock_.duration(calls_);
    const Picoseconds computed = clock_.duration(calls_ + computing_);
    const Picoseconds duration =
        clock_.duration(calls_ + computing_ + Cycles{params_.command_cycles});
    calls_ = computing_ = {};
    if (duration.value > 0) wait(to_sc_time(duration));
    const Picoseconds written = begin + duration;
    report(ProcessorState::kCall, begin, begin + calls);
    report(ProcessorState::kComputing, begin + calls, begin + computed);
    report(ProcessorState::kCommand, begin + computed, written);
    payload_.set_command(tlm::TLM_WRITE_COMMAND);
    payload_.set_data_ptr(reinterpret_cast<unsigned char*>(const_cast<isa::Command*>(&command)));
    payload_.set_data_length(sizeof command);
    payload_.set_streaming_width(sizeof command);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (command.info().engine == isa::Engine::kGdma) {
        gdma_out->b_transport(payload_, delay);
    } else {
        bdc_out->b_transport(payload_, delay);
    }
    OKKSIM_CHECK(payload_.get_response_status() == tlm::TLM_OK_RESPONSE);
    report(ProcessorState::kQueueFull, written, now());
}

void Mcu::wait_until_idle() {
    for (CommandObserver* observer : observers_) observer->polled();
    spend();
    wait_for_engines();
    calls_ += {params_.poll_cycles};
}

void Mcu::charge(isa::FirmwareCall call) {
    for (CommandObserver* observer : observers_) observer->charged(call, 1);
    calls_ += call_cycles(call, params_);
}

void Mcu::compute(const isa::Computation& computation) {
    for (CommandObserver* observer : observers_) observer->computed(computation);
    computing_ += compute_cycles(computation, params_);
}

void Mcu::let_others_act() {
    while (sc_core::sc_pending_activity_at_current_time()) wait(sc_core::SC_ZERO_TIME);
}

void Mcu::access(const isa::ProcessorAccess& access) {
    for (CommandObserver* observer : observers_) observer->accessed(access);
    const auto request = processor_request(access, shape_, params_);
    if (!request) return;
    spend();
    // A command of the data mover that starts at this very time comes first, in every run.
    let_others_act();
    const Picoseconds begin = now();
    const MemoryReply reply = transfers_.send(mem_out, access.address.value(), *request,
                                              direction_of(access.kind), Arbitration::kTurns, {});
    const Picoseconds end = processor_resumes(*request, reply);
    wait(to_sc_time(end - begin));
    report(ProcessorState::kMemoryBandwidth, begin, reply.served);
    report(ProcessorState::kMemoryLatency, reply.served, end);
}

void* Mcu::local_pointer(isa::LocalAddr addr) {
    if (addr.value >= static_cast<std::uint64_t>(local_.bytes())) return nullptr;
    return local_.pointer(addr);
}

void* Mcu::system_pointer(std::uint64_t addr) { return system_.pointer(addr, 1); }

}  // namespace okksim::models
