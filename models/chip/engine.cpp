// SPDX-License-Identifier: Apache-2.0
#include "models/chip/engine.h"

#include <cstring>
#include <string>

#include "isa/errors.h"
#include "models/common/npu_module.h"

namespace okksim::models {

Engine::Engine(const sc_core::sc_module_name& name, isa::Engine kind, std::size_t queue_depth,
               SyncUnit& sync)
    : sc_module(name), kind_(kind), queue_depth_(queue_depth), sync_(sync) {
    cmd_in.register_b_transport(this, &Engine::b_transport);
    SC_HAS_PROCESS(Engine);
    SC_METHOD(step);
    sensitive << work_ << done_ << sync_.completion(isa::Engine::kGdma)
              << sync_.completion(isa::Engine::kBdc);
    dont_initialize();
}

void Engine::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    OKKSIM_CHECK(payload.get_data_length() == sizeof(isa::Command));
    if (delay != sc_core::SC_ZERO_TIME) {
        wait(delay);
        delay = sc_core::SC_ZERO_TIME;
    }
    while (queue_.size() >= queue_depth_) wait(space_);
    Entry entry;
    std::memcpy(static_cast<void*>(&entry.command), payload.get_data_ptr(), sizeof entry.command);
    entry.queued = now();
    entry.other_submitted =
        sync_.last_submitted(kind_ == isa::Engine::kGdma ? isa::Engine::kBdc : isa::Engine::kGdma);
    sync_.submitted(kind_, entry.command.id);
    queue_.push_back(entry);
    depth_ = queue_.size();
    if (queue_.size() == 1) work_.notify(sc_core::SC_ZERO_TIME);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    for (CommandObserver* observer : observers_) observer->submitted(entry.command);
}

void Engine::trace(sc_core::sc_trace_file* file) const {
    const std::string prefix = name();
    sc_core::sc_trace(file, running_, prefix + ".busy");
    sc_core::sc_trace(file, depth_, prefix + ".queue_depth");
    sc_core::sc_trace(file, command_, prefix + ".command");
}

void Engine::set_bank_watch(BankWatch& watch, const isa::MachineShape& machine,
                            double interference) {
    bank_watch_ = &watch;
    machine_ = machine;
    interference_ = interference;
}

bool Engine::stalls() {
    if (bank_watch_ == nullptr || stall_known_) return false;
    stall_known_ = true;
    const Picoseconds stall = bank_stall(
        bank_watch_->shared(kind_, times_.end, queue_.front().other_submitted), interference_);
    times_.cost.bank_conflict += stall;
    times_.end += stall;
    if (stall.value > 0) done_.notify(to_sc_time(stall));
    return stall.value > 0;
}

void Engine::step() {
    if (running_ && now() >= times_.end && !stalls()) retire_head();
    if (!running_ && !queue_.empty() && sync_.may_start(queue_.front().command)) start_head();
}

void Engine::start_head() {
    const Entry& head = queue_.front();
    running_ = true;
    command_ = head.command.id;
    times_.queued = head.queued;
    times_.ready = now();
    times_.start = now();
    times_.cost = cost_of(head.command);
    times_.end = times_.start + times_.cost.total();
    stall_known_ = false;
    if (bank_watch_ != nullptr) {
        bank_watch_->started(kind_, head.command.id,
                             {touched_banks(head.command, machine_), times_.start, times_.end});
    }
    done_.notify(to_sc_time(times_.end - times_.start));
}

void Engine::retire_head() {
    const isa::Command command = queue_.front().command;
    if (effect_) effect_(command);
    busy_ += times_.end - times_.start;
    ++retired_;
    running_ = false;
    if (bank_watch_ != nullptr) bank_watch_->finished(kind_, times_.end);
    queue_.pop_front();
    depth_ = queue_.size();
    space_.notify(sc_core::SC_ZERO_TIME);
    for (CommandObserver* observer : observers_) observer->retired(command, times_);
    sync_.completed(kind_, command.id);
}

}  // namespace okksim::models
