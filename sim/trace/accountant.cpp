// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/accountant.h"

#include <algorithm>

#include "isa/base/errors.h"
#include "models/mcu/host_params.h"
#include "models/mcu/mcu_params.h"

namespace okksim::sim::trace {

using models::Picoseconds;

Accountant::Accountant(const models::MachineParams& machine)
    : host_(machine.host),
      fetches_lists_(machine.mcu->fetches_lists()),
      shape_(machine.shape()),
      event_laws_(machine),
      engines_(machine),
      until_(engines_.size()),
      apart_(engines_.processor()) {}

Account Accountant::total() const {
    Account sum = sum_.value_or(Account(engines_));
    sum.name = "all launches";
    for (const Account& launch : launches_) sum.add(launch);
    return sum;
}

void Accountant::add(std::size_t engine, Cause cause, Picoseconds duration,
                     std::size_t work_class) {
    if (duration.value == 0) return;
    account(engine)[cause] += duration;
    command_.by_cause[static_cast<std::size_t>(cause)] += duration;
    const Picoseconds begin = until_[engine];
    until_[engine] += duration;
    for (AccountListener* listener : listeners_) {
        listener->spent({engine, cause, work_class, begin, until_[engine]});
    }
}

void Accountant::add_busy(std::size_t engine, std::size_t work_class, Picoseconds duration) {
    account(engine).busy.add(work_class, duration);
    add(engine, Cause::kBusy, duration, work_class);
}

void Accountant::count_work(const isa::Command& command, std::size_t engine,
                            CommandAccount& account) {
    const isa::InstructionInfo& info = command.info();
    if (info.engine == isa::Engine::kBdc) {
        account.events = event_laws_.of(command);
        account.operations = account.events.operations;
        this->account(engine).busy.add(static_cast<std::size_t>(info.timing), {},
                                       account.operations);
    } else {
        const models::GdmaTransfer transfer = models::gdma_transfer(command, shape_);
        const auto dram_bytes = [&](const std::optional<models::MemoryRequest>& request) {
            const bool is_dram = request && shape_.global().holds(request->address);
            return is_dram ? request->bytes() : 0;
        };
        account.dram = {dram_bytes(transfer.read), dram_bytes(transfer.write)};
        account.events = event_laws_.of_transfer(transfer);
        current_.dram.add(account.dram);
    }
    current_.events.add(account.events);
}

void Accountant::charged(isa::FirmwareCall call, std::uint64_t) {
    if (call == isa::FirmwareCall::kListStart) in_list_ = fetches_lists_;
    if (call == isa::FirmwareCall::kListEnd) in_list_ = false;
}

void Accountant::accessed(const isa::ProcessorAccess& access) {
    if (in_list_) return;
    const models::energy::Traffic traffic = event_laws_.of(access);
    current_.events.add(models::energy::Unit::kMcu, traffic);
    for (AccountListener* listener : listeners_) listener->accessed(traffic);
}

void Accountant::launch_started(Picoseconds time) {
    current_ = Account(engines_);
    in_list_ = false;
    current_.launches = 1;
    if (!names_.empty()) {
        current_.name = std::move(names_.front());
        names_.pop_front();
    }
    start_ = time;
    std::fill(until_.begin(), until_.end(), time);
    for (auto& apart : apart_) apart.clear();
    for (AccountListener* listener : listeners_) listener->launch_begun(current_.name);
}

void Accountant::launch_finished(Picoseconds time) {
    const Picoseconds around = models::from_nanoseconds(host_->launch_nanoseconds) +
                               models::from_nanoseconds(host_->sync_nanoseconds);
    current_.span = time - start_ + around;
    for (std::size_t engine = 0; engine < current_.engines.size(); ++engine) {
        OKKSIM_CHECK(until_[engine] <= time);
        add(engine, Cause::kIdle, time - until_[engine]);
        account(engine)[Cause::kIdle] += around;
    }
    current_.check_sums();
    for (AccountListener* listener : listeners_) listener->launch_accounted(current_);
    if (sum_) return sum_->add(current_);
    launches_.push_back(std::move(current_));
}

void Accountant::add_empty_queue(std::size_t engine, Picoseconds queued) {
    auto& apart = apart_[engine];
    while (until_[engine] < queued) {
        while (!apart.empty() && apart.front().end <= until_[engine]) apart.pop_front();
        if (apart.empty() || apart.front().begin >= queued) {
            add(engine, Cause::kQueue, queued - until_[engine]);
            return;
        }
        const Interval next = apart.front();
        if (next.begin > until_[engine]) add(engine, Cause::kQueue, next.begin - until_[engine]);
        add(engine, next.cause, std::min(next.end, queued) - until_[engine]);
    }
}

void Accountant::retired(const isa::Command& command, const models::CommandTimes& times) {
    const isa::InstructionInfo& info = command.info();
    const std::size_t engine = engines_.of(command);
    ++account(engine).commands;
    ++current_.processor().commands;
    command_ = {};
    count_work(command, engine, command_);
    add_empty_queue(engine, std::min(times.queued, times.start));
    OKKSIM_CHECK(until_[engine] <= times.start);
    add(engine, Cause::kOtherEngine, times.start - until_[engine]);
    add_busy(engine, static_cast<std::size_t>(info.timing), times.cost.work);
    add(engine, Cause::kMemoryBandwidth, times.cost.memory_bandwidth);
    add(engine, Cause::kMemoryLatency, times.cost.memory_latency);
    add(engine, Cause::kBankConflict, times.cost.bank_conflict);
    OKKSIM_CHECK(until_[engine] == times.end);
    for (AccountListener* listener : listeners_) listener->accounted(command, times, command_);
}

void Accountant::processor(models::ProcessorState state, Picoseconds begin, Picoseconds end) {
    const std::size_t own = engines_.processor();
    OKKSIM_CHECK(begin == until_[own]);
    const Picoseconds duration = end - begin;
    switch (state) {
        case models::ProcessorState::kCommand: add_busy(own, kWritingCommands, duration); return;
        case models::ProcessorState::kCall: add_busy(own, kOtherCalls, duration); return;
        case models::ProcessorState::kMemoryBandwidth:
            add(own, Cause::kMemoryBandwidth, duration);
            return;
        case models::ProcessorState::kMemoryLatency:
            add(own, Cause::kMemoryLatency, duration);
            return;
        case models::ProcessorState::kComputing:
            add(own, Cause::kComputing, duration);
            for (auto& apart : apart_) apart.push_back({begin, end, Cause::kComputing});
            return;
        case models::ProcessorState::kQueueFull: add(own, Cause::kQueue, duration); break;
        case models::ProcessorState::kEngineWait: add(own, Cause::kOtherEngine, duration); break;
    }
    for (auto& apart : apart_) apart.push_back({begin, end, Cause::kOtherEngine});
}

}  // namespace okksim::sim::trace
