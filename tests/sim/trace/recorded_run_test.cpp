// SPDX-License-Identifier: Apache-2.0
// Runs of the chip compared with their recordings.
#include <set>

#include "isa/base/errors.h"
#include "models/mcu/mcu_params.h"
#include "sim/trace/command_trace_reader.h"
#include "sim/trace/replay.h"
#include "sim/trace/trace_diff.h"
#include "tests/sim/trace/reference_engines.h"
#include "tests/sim/trace/temporary_file.h"
#include "tests/sim/trace/traced_run.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim::trace;
using tests::TemporaryFile;
using tests::TracedRun;

bool same_account(const Account& a, const Account& b) {
    for (std::size_t e = 0; e < a.engines.size(); ++e) {
        if (a.engines[e].by_cause != b.engines[e].by_cause ||
            a.engines[e].busy != b.engines[e].busy ||
            a.engines[e].commands != b.engines[e].commands) {
            return false;
        }
    }
    return a.span == b.span && a.name == b.name;
}

TEST_CASE("A replay on the same machine gives the recorded run's times exactly") {
    const TemporaryFile file("");
    for (const std::vector<std::string>& settings :
         {std::vector<std::string>{},
          {"mcu.command_cycles=5", "mcu.queue_depth=3"},
          {"mcu.command_cycles=40", "gdma.setup_cycles=10", "bdc.startup_cycles=3"}}) {
        for (const bool with_data : {true, false}) {
            const TracedRun run(settings, with_data, {file.path().string(), with_data, ""});
            const ReplayReport report = replay(file.path(), {});
            CHECK(report.same_machine);
            REQUIRE(report.launches.size() == 2);
            for (std::size_t i = 0; i < 2; ++i) {
                CHECK(report.launches[i].name == "random " + std::to_string(i));
                CHECK(report.launches[i].simulated_us == run.simulated_us[i]);
                CHECK(report.launches[i].recorded_us == run.simulated_us[i]);
                CHECK(same_account(report.accounts[i], run.accounts[i]));
            }
        }
    }
}

TEST_CASE("A trace holds the machine, the commands in few bytes, and totals") {
    const TemporaryFile file("");
    const TracedRun run({"mcu.queue_depth=7"}, true, {file.path().string(), true, ""});
    CommandTraceReader reader(file.path());
    CHECK(reader.has_data_crc());
    CHECK(reader.machine().params.mcu->queue_depth == 7);
    CHECK(reader.machine().hash() == reader.machine_hash());
    std::set<std::uint32_t> crcs;
    for (TraceEntry entry; reader.next(entry);) {
        if (entry.kind == EntryKind::kCommand) crcs.insert(entry.data_crc.value());
    }
    CHECK(crcs.size() > 100);
    CHECK(reader.totals().launches == 2);
    CHECK(reader.totals().commands.total() == run.accounts[0].engines[tests::kMcu].commands +
                                                  run.accounts[1].engines[tests::kMcu].commands);
    // Random commands of all functions have little in common; they share the description.
    CHECK(reader.bytes() < 100 * reader.totals().commands.total() + 8192);
}

TEST_CASE("A comparison finds the first other command and the first other data") {
    const TemporaryFile a(""), b(""), c(""), d("");
    const TracedRun run_a({}, true, {a.path().string(), true, ""}, 1);
    // Random parallel sections race, so the other machine must not change the order of commands.
    const TracedRun run_b({"host.launch_nanoseconds=1000.0"}, true, {b.path().string(), true, ""},
                          1);
    const TraceComparison same = compare_traces(a.path(), b.path());
    CHECK(same.equal());
    CHECK(same.data_compared);
    CHECK(same.account_a.span > same.account_b.span);

    const TracedRun run_c({}, true, {c.path().string(), true, ""}, 5);
    const TraceComparison other = compare_traces(a.path(), c.path());
    REQUIRE(other.command);
    CHECK(other.command->a != other.command->b);
    CHECK(other.command->context.size() <= 3);

    // A copy of the recording in which one command stores other data.
    CommandTraceReader reader(a.path());
    CommandTraceWriter writer(d.path(), reader.machine(), true);
    std::uint64_t index = 0, changed = 0;
    for (TraceEntry entry; reader.next(entry); ++index) {
        if (index >= 50 && changed == 0 && entry.kind == EntryKind::kCommand) {
            entry.data_crc = ~*entry.data_crc;
            changed = index;
        }
        writer.add(entry);
    }
    writer.finish();
    const TraceComparison data = compare_traces(a.path(), d.path());
    CHECK_FALSE(data.command);
    REQUIRE(data.data);
    CHECK(data.data->entry == changed);
}

}  // namespace
