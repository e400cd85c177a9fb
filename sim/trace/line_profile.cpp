// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/line_profile.h"

#include <algorithm>
#include <tuple>

namespace okksim::sim::trace {
namespace {

using models::Picoseconds;

bool is_stall(Cause cause) {
    switch (cause) {
        case Cause::kOtherEngine:
        case Cause::kQueue:
        case Cause::kComputing: return true;
        case Cause::kBusy:
        case Cause::kMemoryBandwidth:
        case Cause::kMemoryLatency:
        case Cause::kBankConflict:
        case Cause::kIdle: return false;
    }
    __builtin_unreachable();
}

/// Key that is equal for calls from the same line.
auto key_of(const firmware::CodePlace& place) {
    const bool has_line = !place.file.empty();
    return std::tuple(place.file, place.line, has_line ? "" : place.module,
                      has_line ? "" : place.function, has_line ? 0 : place.offset);
}

}  // namespace

Picoseconds LineAccount::occupied(std::size_t engine) const {
    Picoseconds sum;
    for (std::size_t cause = 0; cause < kCauses; ++cause) {
        const bool counts = engine + 1 == time.size() || !is_stall(static_cast<Cause>(cause));
        if (counts) sum += time[engine][cause];
    }
    return sum;
}

Picoseconds LineAccount::stalled() const {
    Picoseconds sum;
    for (std::size_t engine = 0; engine + 1 < time.size(); ++engine) {
        for (std::size_t cause = 0; cause < kCauses; ++cause) {
            if (is_stall(static_cast<Cause>(cause))) sum += time[engine][cause];
        }
    }
    return sum;
}

Cause LineAccount::main_stall() const {
    Cause most = Cause::kQueue;
    Picoseconds longest;
    for (const Cause cause : {Cause::kOtherEngine, Cause::kQueue, Cause::kComputing}) {
        const auto i = static_cast<std::size_t>(cause);
        Picoseconds sum;
        for (std::size_t engine = 0; engine + 1 < time.size(); ++engine) sum += time[engine][i];
        if (sum > longest) {
            most = cause;
            longest = sum;
        }
    }
    return most;
}

LineProfile::Sums& LineProfile::sums_of(const CallSite* site) {
    Sums& sums = sums_[site];
    sums.time.resize(engines_.size());
    return sums;
}

void LineProfile::spent(const Stretch& stretch) {
    // accounted() adds the stretches of the engines.
    if (stretch.engine != engines_.processor()) return;
    const CallSite* const site = sites_.here();
    if (site == nullptr) return;
    sums_of(site).time[stretch.engine][static_cast<std::size_t>(stretch.cause)] +=
        stretch.end - stretch.begin;
}

void LineProfile::accounted(const isa::Command& command, const models::CommandTimes&,
                            const CommandAccount& account) {
    const CallSite* const site = sites_.of(command);
    if (site == nullptr) return;
    Sums& sums = sums_of(site);
    ++sums.commands;
    sums.operations += account.operations;
    sums.dram.add(account.dram);
    auto& time = sums.time[engines_.of(command)];
    for (std::size_t cause = 0; cause < kCauses; ++cause) time[cause] += account.by_cause[cause];
}

void LineProfile::launch_accounted(const Account& account) {
    span_ += account.span;
    ++launches_;
}

std::vector<LineAccount> LineProfile::lines() const {
    using Key = decltype(key_of(firmware::CodePlace{}));
    std::map<Key, LineAccount> by_line;
    for (const auto& [site, sums] : sums_) {
        const firmware::CodePlace& place = sites_.place(*site);
        LineAccount& line = by_line[key_of(place)];
        line.place = place;
        line.time.resize(engines_.size());
        line.commands += sums.commands;
        line.operations += sums.operations;
        line.dram.add(sums.dram);
        for (std::size_t engine = 0; engine < line.time.size(); ++engine) {
            for (std::size_t cause = 0; cause < kCauses; ++cause) {
                line.time[engine][cause] += sums.time[engine][cause];
            }
        }
    }
    std::vector<LineAccount> lines;
    for (auto& [key, line] : by_line) lines.push_back(std::move(line));
    return lines;
}

}  // namespace okksim::sim::trace
