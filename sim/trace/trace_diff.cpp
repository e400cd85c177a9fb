// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/trace_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "isa/disassembler.h"
#include "sim/trace/command_trace_reader.h"
#include "sim/trace/entry_text.h"
#include "sim/trace/replay.h"

namespace okksim::sim::trace {
namespace {

/// True if two entries request the same action of the machine.
bool same_request(const TraceEntry& a, const TraceEntry& b) {
    if (a.kind != b.kind) return false;
    switch (a.kind) {
        case EntryKind::kLaunch: return a.name == b.name;
        case EntryKind::kFinish:
        case EntryKind::kPoll: return true;
        case EntryKind::kCharge: return a.call == b.call && a.count == b.count;
        case EntryKind::kCompute: return a.name == b.name && a.computation == b.computation;
        case EntryKind::kAccess: return a.access == b.access;
        case EntryKind::kCommand: return a.command == b.command;
        case EntryKind::kPlace:
        case EntryKind::kBuffer:
        case EntryKind::kData: return true;  // no request to the machine
    }
    __builtin_unreachable();
}

/// One of the two traces and its current entry.
struct Side {
    CommandTraceReader reader;
    isa::MachineShape shape;
    TraceEntry entry;
    std::string launch;  ///< name of the first launch
    bool more = true;

    explicit Side(const std::filesystem::path& path)
        : reader(path), shape(reader.machine().params.shape()) {}
    /// Advances to the next request to the machine.
    void advance() {
        do more = reader.next(entry);
        while (more && (entry.kind == EntryKind::kPlace || entry.kind == EntryKind::kBuffer ||
                        entry.kind == EntryKind::kData));
        if (more && launch.empty() && entry.kind == EntryKind::kLaunch) launch = entry.name;
    }
    std::string text() const { return more ? entry_text(entry, shape) : "(the trace ends)"; }
};

}  // namespace

bool TraceComparison::same_times() const {
    if (account_a.span != account_b.span) return false;
    return std::ranges::equal(account_a.engines, account_b.engines,
                              [](const EngineAccount& a, const EngineAccount& b) {
                                  return std::ranges::equal(a.by_cause, b.by_cause);
                              });
}

TraceComparison compare_traces(const std::filesystem::path& path_a,
                               const std::filesystem::path& path_b) {
    Side a(path_a);
    Side b(path_b);
    TraceComparison result;
    result.machine_a = a.reader.machine();
    result.machine_b = b.reader.machine();
    result.data_compared = a.reader.has_data_crc() && b.reader.has_data_crc();
    constexpr std::size_t kContext = 3;
    std::deque<std::string> before;
    const auto difference = [&](const char* what, std::uint64_t entry) {
        return TraceDifference{entry, what, {before.begin(), before.end()}, a.text(), b.text()};
    };
    for (std::uint64_t entry = 0;; ++entry) {
        a.advance();
        b.advance();
        if (!a.more && !b.more) break;
        if (a.more != b.more || !same_request(a.entry, b.entry)) {
            result.command = difference(a.more && b.more ? "command" : "end", entry);
            break;
        }
        if (a.entry.kind == EntryKind::kCommand) {
            ++result.commands_compared;
            if (result.data_compared && !result.data && a.entry.data_crc != b.entry.data_crc) {
                result.data = difference("data", entry);
            }
        }
        before.push_back(a.text());
        if (before.size() > kContext) before.pop_front();
    }
    // The rest of both traces must be valid, too, before their times are compared.
    while (a.more) a.advance();
    while (b.more) b.advance();
    result.launch_a = a.launch;
    result.launch_b = b.launch;
    result.account_a = replay(path_a, {}).total();
    result.account_b = replay(path_b, {}).total();
    return result;
}

}  // namespace okksim::sim::trace
