// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/accounting.h"

#include <algorithm>
#include <numeric>

#include "isa/errors.h"
#include "isa/tensors.h"
#include "models/bdc/bdc_work.h"

namespace okksim::sim::trace {

using models::Picoseconds;

namespace {

constexpr std::size_t kWritingCommands = kWorkClasses - 2;
constexpr std::size_t kOtherCalls = kWorkClasses - 1;

}  // namespace

const char* cause_name(Cause cause) {
    switch (cause) {
        case Cause::kBusy: return "busy";
        case Cause::kOtherEngine: return "other engine";
        case Cause::kQueue: return "queue";
        case Cause::kComputing: return "MCU computing";
        case Cause::kMemoryBandwidth: return "DRAM bandwidth";
        case Cause::kMemoryLatency: return "DRAM latency";
        case Cause::kBankConflict: return "bank conflict";
        case Cause::kIdle: return "idle";
    }
    __builtin_unreachable();
}

const char* work_class_name(std::size_t work_class) {
    if (work_class == kWritingCommands) return "writing commands";
    if (work_class == kOtherCalls) return "other calls";
    using isa::TimingClass;
    switch (static_cast<TimingClass>(work_class)) {
        case TimingClass::kGdmaCopy: return "moving tensors";
        case TimingClass::kGdmaMatrix: return "moving matrices";
        case TimingClass::kGdmaFill: return "filling";
        case TimingClass::kCopy: return "copy";
        case TimingClass::kConvert: return "conversion";
        case TimingClass::kLookup: return "lookup";
        case TimingClass::kArithmetic: return "arithmetic";
        case TimingClass::kArithmeticConstant: return "arithmetic with a constant";
        case TimingClass::kMac: return "multiply and add";
        case TimingClass::kMacConstant: return "multiply and add, constant";
        case TimingClass::kDivide: return "division";
        case TimingClass::kDivideConstant: return "division with a constant";
        case TimingClass::kReciprocal: return "reciprocal";
        case TimingClass::kRsqrt: return "reciprocal square root";
        case TimingClass::kSqrt: return "square root";
        case TimingClass::kSeries: return "series";
        case TimingClass::kLinear: return "per-channel linear";
        case TimingClass::kConvolution: return "convolution";
        case TimingClass::kDepthwise: return "depthwise convolution";
        case TimingClass::kPool: return "pooling";
        case TimingClass::kMatmul: return "matrix product";
        case TimingClass::kFixedArithmetic: return "fixed-point arithmetic";
        case TimingClass::kFixedMul: return "fixed-point product";
        case TimingClass::kFixedMac: return "fixed-point multiply and add";
        case TimingClass::kFixedMaximum: return "fixed-point maximum";
        case TimingClass::kFixedMinimum: return "fixed-point minimum";
        case TimingClass::kFixedShift: return "fixed-point shift";
        case TimingClass::kSequence: return "sequence";
    }
    OKKSIM_CHECK(false);
}

const char* account_engine_name(std::size_t engine) {
    static constexpr std::array kNames{"GDMA", "BDC", "MCU"};
    return kNames.at(engine);
}

void WorkList::add(std::size_t work_class, Picoseconds time, std::uint64_t operations) {
    const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& e) { return e.work_class == work_class; });
    if (entry == entries_.end()) {
        entries_.push_back({work_class, time, operations});
    } else {
        entry->time += time;
        entry->operations += operations;
    }
}

void WorkList::add(const WorkList& other) {
    for (const Entry& entry : other) add(entry.work_class, entry.time, entry.operations);
}

Picoseconds WorkList::operator[](std::size_t work_class) const {
    for (const Entry& entry : entries_) {
        if (entry.work_class == work_class) return entry.time;
    }
    return {};
}

Picoseconds WorkList::total() const {
    Picoseconds sum;
    for (const Entry& entry : entries_) sum += entry.time;
    return sum;
}

std::uint64_t WorkList::operations() const {
    std::uint64_t sum = 0;
    for (const Entry& entry : entries_) sum += entry.operations;
    return sum;
}

bool WorkList::operator==(const WorkList& other) const {
    return std::is_permutation(entries_.begin(), entries_.end(), other.entries_.begin(),
                               other.entries_.end());
}

Picoseconds EngineAccount::occupied() const {
    const EngineAccount& self = *this;
    return self[Cause::kBusy] + self[Cause::kMemoryBandwidth] + self[Cause::kMemoryLatency] +
           self[Cause::kBankConflict];
}

Picoseconds EngineAccount::total() const {
    return std::accumulate(by_cause.begin(), by_cause.end(), Picoseconds{});
}

void Account::add(const Account& other) {
    launches += other.launches;
    span += other.span;
    dram.add(other.dram);
    for (std::size_t e = 0; e < engines.size(); ++e) {
        for (std::size_t i = 0; i < kCauses; ++i) {
            engines[e].by_cause[i] += other.engines[e].by_cause[i];
        }
        engines[e].busy.add(other.engines[e].busy);
        engines[e].commands += other.engines[e].commands;
    }
}

void Account::check_sums() const {
    for (const EngineAccount& engine : engines) {
        OKKSIM_CHECK(engine.total() == span);
        OKKSIM_CHECK(engine.busy.total() == engine[Cause::kBusy]);
    }
}

Account Accountant::total() const {
    Account sum;
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

void Accountant::count_work(const isa::Command& command, CommandAccount& account) {
    const isa::InstructionInfo& info = command.info();
    if (info.engine == isa::Engine::kBdc) {
        account.operations = models::bdc_operations(command);
        current_.engines[Account::kBdc].busy.add(static_cast<std::size_t>(info.timing), {},
                                                 account.operations);
        return;
    }
    for (const isa::TensorView& view : isa::tensor_views(command, shape_)) {
        if (view.local) continue;
        if (view.system_addr.value() - shape_.global_start >= shape_.global_bytes) continue;
        auto& bytes = view.access == isa::Access::kRead ? account.dram.read : account.dram.written;
        bytes += view.element_count() * static_cast<std::uint64_t>(view.element_bytes);
    }
    current_.dram.add(account.dram);
}

void Accountant::launch_started(Picoseconds time) {
    current_ = {};
    current_.launches = 1;
    if (!names_.empty()) {
        current_.name = std::move(names_.front());
        names_.pop_front();
    }
    start_ = time;
    until_.fill(time);
    for (auto& apart : apart_) apart.clear();
    for (AccountListener* listener : listeners_) listener->launch_begun(current_.name);
}

void Accountant::launch_finished(Picoseconds time) {
    const Picoseconds around = models::from_nanoseconds(host_.launch_nanoseconds) +
                               models::from_nanoseconds(host_.sync_nanoseconds);
    current_.span = time - start_ + around;
    for (std::size_t engine = 0; engine < current_.engines.size(); ++engine) {
        OKKSIM_CHECK(until_[engine] <= time);
        add(engine, Cause::kIdle, time - until_[engine]);
        account(engine)[Cause::kIdle] += around;
    }
    current_.check_sums();
    for (AccountListener* listener : listeners_) listener->launch_accounted(current_);
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
    const auto engine = static_cast<std::size_t>(info.engine);
    ++account(engine).commands;
    ++account(Account::kMcu).commands;
    command_ = {};
    count_work(command, command_);
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
    OKKSIM_CHECK(begin == until_[Account::kMcu]);
    const Picoseconds duration = end - begin;
    switch (state) {
        case models::ProcessorState::kCommand:
            add_busy(Account::kMcu, kWritingCommands, duration);
            return;
        case models::ProcessorState::kCall: add_busy(Account::kMcu, kOtherCalls, duration); return;
        case models::ProcessorState::kMemoryBandwidth:
            add(Account::kMcu, Cause::kMemoryBandwidth, duration);
            return;
        case models::ProcessorState::kMemoryLatency:
            add(Account::kMcu, Cause::kMemoryLatency, duration);
            return;
        case models::ProcessorState::kComputing:
            add(Account::kMcu, Cause::kComputing, duration);
            for (auto& apart : apart_) apart.push_back({begin, end, Cause::kComputing});
            return;
        case models::ProcessorState::kQueueFull: add(Account::kMcu, Cause::kQueue, duration); break;
        case models::ProcessorState::kEngineWait:
            add(Account::kMcu, Cause::kOtherEngine, duration);
            break;
    }
    for (auto& apart : apart_) apart.push_back({begin, end, Cause::kOtherEngine});
}

}  // namespace okksim::sim::trace
