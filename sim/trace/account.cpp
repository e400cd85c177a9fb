// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/account.h"

#include <algorithm>
#include <numeric>

#include "isa/base/errors.h"

namespace okksim::sim::trace {

using models::Picoseconds;

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
    return isa::kTimingClasses.at(work_class).report_name;
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

models::energy::EventCounts Account::event_counts() const {
    models::energy::EventCounts counts = events;
    if (!engines.empty()) counts.processor_time = processor().total() - processor()[Cause::kIdle];
    return counts;
}

Account::Account(const EngineList& list) {
    for (const ListedEngine& engine : list) engines.emplace_back().engine = engine;
}

void Account::add(const Account& other) {
    launches += other.launches;
    span += other.span;
    dram.add(other.dram);
    events.add(other.events);
    if (engines.empty()) {
        engines = other.engines;
        return;
    }
    for (std::size_t e = 0; e < other.engines.size(); ++e) {
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

}  // namespace okksim::sim::trace
