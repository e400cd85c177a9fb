// SPDX-License-Identifier: Apache-2.0
#include "models/mcu/processor.h"

#include <algorithm>
#include <utility>

#include "models/mcu/host_params.h"
#include "models/mcu/mcu_params.h"
#include "models/mcu/mcu_timing.h"

namespace okksim::models {

Processor::Processor(const McuParams& params, const HostParams& host,
                     const isa::MachineShape& shape, Sequencer sequencer)
    : params_(params),
      host_(host),
      shape_(shape),
      clock_(params.clock_mhz),
      sequencer_(std::move(sequencer)) {}

void Processor::begin_launch() {
    sequencer_.restart();
    calls_ = computing_ = {};
    in_list_ = false;
    last_ids_ = first_ids_ = {};
    pass_until(now_ + from_nanoseconds(host_->launch_nanoseconds));
    launch_start_ = now_;
    for (CommandObserver* observer : observers_) observer->launch_started(now_);
}

void Processor::end_launch() {
    spend();
    wait_for_engines();
    for (CommandObserver* observer : observers_) observer->launch_finished(now_);
}

void Processor::report(ProcessorState state, Picoseconds begin, Picoseconds end) const {
    if (begin >= end) return;
    for (CommandObserver* observer : observers_) observer->processor(state, begin, end);
}

Processor::Ends Processor::own_ends() const {
    const Picoseconds calls = now_ + clock_.duration(calls_);
    if (computing_.value == 0) return {calls, calls};
    return {calls, now_ + clock_.duration(calls_ + computing_)};
}

void Processor::spend() {
    if ((calls_ + computing_).value == 0) return;
    const Picoseconds begin = now_;
    const Ends ends = own_ends();
    calls_ = computing_ = {};
    pass_until(ends.computing);
    report(ProcessorState::kCall, begin, ends.calls);
    report(ProcessorState::kComputing, ends.calls, ends.computing);
}

void Processor::wait_for_engines() {
    const Picoseconds begin = now_;
    while (!sequencer_.is_idle()) pass_until_retirement();
    report(ProcessorState::kEngineWait, begin, now_);
}

bool Processor::ids_run_out() const {
    const auto limit = static_cast<isa::CommandId>(params_->parallel_end_waits_from_id);
    for (std::size_t kind = 0; kind < last_ids_.size(); ++kind) {
        if (last_ids_[kind] - first_ids_[kind] >= limit) return true;
    }
    return false;
}

void Processor::submit(const isa::Command& command) {
    last_ids_[static_cast<std::size_t>(command.info().engine)] = command.id;
    const std::size_t engine = sequencer_.engine_of(command);
    // Spent in one piece, so that the sum is rounded once; the command's share comes last.
    const Picoseconds begin = now_;
    const Ends ends = own_ends();
    const Picoseconds written =
        begin + clock_.duration(calls_ + computing_ + issue_cycles(*params_, in_list_));
    calls_ = computing_ = {};
    pass_until(written);
    report(ProcessorState::kCall, begin, ends.calls);
    report(ProcessorState::kComputing, ends.calls, ends.computing);
    report(ProcessorState::kCommand, ends.computing, written);
    while (!sequencer_.has_room(engine)) pass_until_retirement();
    report(ProcessorState::kQueueFull, written, now_);
    for (CommandObserver* observer : observers_) observer->submitted(command);
    deliver(engine, command);
}

void Processor::wait_until_idle() {
    for (CommandObserver* observer : observers_) observer->polled();
    spend();
    wait_for_engines();
    calls_ += {params_->poll_cycles};
}

void Processor::end_list_section() {
    if (params_->list_section_cycles == 0) return;
    spend();
    wait_for_engines();
    calls_ += {params_->list_section_cycles};
}

void Processor::charge(isa::FirmwareCall call, std::uint64_t count) {
    for (CommandObserver* observer : observers_) observer->charged(call, count);
    if (call == isa::FirmwareCall::kListEnd) in_list_ = false;
    if (in_list_) {  // done before the launch
        if (call == isa::FirmwareCall::kParallelEnd) end_list_section();
        return;
    }
    if (call == isa::FirmwareCall::kParallelEnd && ids_run_out()) {
        spend();
        wait_for_engines();
        first_ids_ = last_ids_;
    }
    calls_.value += call_cycles(call, *params_).value * static_cast<std::int64_t>(count);
    if (call == isa::FirmwareCall::kListStart) in_list_ = params_->fetches_lists();
}

void Processor::compute(const isa::Computation& computation) {
    for (CommandObserver* observer : observers_) observer->computed(computation);
    if (!in_list_) computing_ += compute_cycles(computation, *params_);
}

void Processor::access(const isa::ProcessorAccess& access) {
    for (CommandObserver* observer : observers_) observer->accessed(access);
    const auto request = processor_request(access, shape_, *params_);
    if (!request || in_list_) return;
    spend();
    pass_until(now_);
    const Picoseconds begin = now_;
    const MemoryReply reply =
        memories().serve({*request, direction_of(access.kind), begin, Arbitration::kTurns});
    pass_until(processor_resumes(*request, reply));
    const Picoseconds served = std::max(begin, reply.served);
    report(ProcessorState::kMemoryBandwidth, begin, served);
    report(ProcessorState::kMemoryLatency, served, now_);
}

}  // namespace okksim::models
