// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/replay.h"

#include <lzma.h>

#include <cstring>
#include <random>
#include <set>

#include "isa/errors.h"
#include "sim/trace/command_trace_reader.h"
#include "sim/trace/trace_diff.h"
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

TEST_CASE("A replay takes the commands to another machine") {
    const TemporaryFile file("");
    const TracedRun slow({}, false, {file.path().string(), false, ""});
    const std::vector<std::string> faster{"mcu.command_cycles=181", "bdc.startup_cycles=140"};
    const TemporaryFile other("");
    const TracedRun fast(faster, false, {other.path().string(), false, ""});
    ReplayOptions options;
    options.settings = faster;
    const ReplayReport report = replay(file.path(), options);
    CHECK_FALSE(report.same_machine);
    CHECK(report.launches[0].simulated_us == fast.simulated_us[0]);
    CHECK(report.launches[0].recorded_us == slow.simulated_us[0]);

    options.settings = {"chip.lanes=8"};
    CHECK_THROWS_WITH(replay(file.path(), options), Catch::Contains("laid out for 64 lanes"));
}

TEST_CASE("A trace holds the machine, the commands in few bytes, and totals") {
    const TemporaryFile file("");
    const TracedRun run({"mcu.queue_depth=7"}, true, {file.path().string(), true, ""});
    CommandTraceReader reader(file.path());
    CHECK(reader.has_data_crc());
    CHECK(reader.machine().params.mcu.queue_depth == 7);
    CHECK(reader.machine().hash() == reader.machine_hash());
    std::set<std::uint32_t> crcs;
    for (TraceEntry entry; reader.next(entry);) {
        if (entry.kind == EntryKind::kCommand) crcs.insert(entry.data_crc.value());
    }
    CHECK(crcs.size() > 100);
    CHECK(reader.totals().launches == 2);
    CHECK(reader.totals().commands() == run.accounts[0].engines[Account::kMcu].commands +
                                            run.accounts[1].engines[Account::kMcu].commands);
    // Random commands of all functions have little in common; the description is shared by all.
    CHECK(reader.bytes() < 100 * reader.totals().commands() + 8192);
}

TEST_CASE("Damaged command traces are refused by name, or replayed as far as they go") {
    const TemporaryFile file("");
    const TracedRun run({}, false, {file.path().string(), false, ""}, 1, 3000);
    const std::string bytes = file.read();
    const auto complaint = [](const std::string& damaged) {
        const TemporaryFile copy(damaged);
        try {
            replay(copy.path(), {});
        } catch (const ConfigError& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    using Catch::Contains;
    CHECK(complaint(bytes) == "none");
    CHECK_THAT(complaint(bytes.substr(0, 20)), Contains("no command trace"));
    CHECK_THAT(complaint(bytes.substr(0, 200)), Contains("header is cut off"));
    CHECK_THAT(complaint(bytes.substr(0, bytes.size() - 1)), Contains("cut off"));
    CHECK_THAT(complaint(bytes.substr(0, bytes.size() - 60)), Contains("cut off"));
    CHECK_THAT(complaint(bytes + "x"), Contains("bytes follow the end block"));
    std::string version = bytes;
    version[8] = 9;
    CHECK_THAT(complaint(version), Contains("has version 9"));
    for (std::size_t at = 40; at < bytes.size(); at += bytes.size() / 37) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        INFO("byte " << at);
        CHECK(complaint(damaged) != "none");
    }
    const TemporaryFile cut(bytes.substr(0, bytes.size() - 100));
    ReplayOptions options;
    options.force = true;
    const ReplayReport report = replay(cut.path(), options);
    REQUIRE(report.stopped);
    CHECK(report.gdma_commands + report.bdc_commands > 0);
}

TEST_CASE("Entries with valid sums but without sense are refused") {
    const sim::Machine machine = sim::load_machine("bm1684");
    const auto complaint = [&](const TraceEntry& entry) {
        const TemporaryFile file("");
        CommandTraceWriter writer(file.path(), machine, false);
        TraceEntry launch;
        launch.kind = EntryKind::kLaunch;
        writer.add(launch);
        writer.add(entry);
        writer.finish();
        try {
            replay(file.path(), {});
        } catch (const ConfigError& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    TraceEntry entry;
    entry.kind = EntryKind::kCommand;
    isa::VectorSet fill;
    fill.shape = {1, 1, 1, -4};
    entry.command = isa::Command::make(isa::Opcode::bdc_32bit_set_C, fill);
    entry.command.id = 1;
    CHECK_THAT(complaint(entry), Catch::Contains("out of range"));
    isa::GdmaFillSystem outside;
    outside.shape = {1, 1, 1, 4};
    entry.command = isa::Command::make(isa::Opcode::gdma_32bit_set_C_system, outside);
    entry.command.id = 1;
    CHECK_THAT(complaint(entry), Catch::Contains("out of range"));
}

/// The trace with one byte of one block changed and the block's sum made right again.
std::string with_edited_block(std::string bytes, std::mt19937& random) {
    const auto number = [&](std::size_t at) {
        std::uint32_t value = 0;
        std::memcpy(&value, &bytes[at], sizeof value);
        return std::size_t{value};
    };
    std::vector<std::size_t> blocks;
    for (std::size_t at = 36 + number(32) + 4; at < bytes.size(); at += 12 + number(at + 4)) {
        blocks.push_back(at);
    }
    const std::size_t block = blocks[random() % blocks.size()];
    const std::size_t size = number(block + 4);
    bytes[block + 12 + random() % size] = static_cast<char>(random());
    const std::uint32_t crc =
        lzma_crc32(reinterpret_cast<const std::uint8_t*>(&bytes[block + 12]), size, 0);
    std::memcpy(&bytes[block + 8], &crc, sizeof crc);
    return bytes;
}

TEST_CASE("Edited traces with sums that fit never do worse than a named error") {
    const TemporaryFile file("");
    const TracedRun run({}, false, {file.path().string(), false, ""});
    const std::string bytes = file.read();
    std::mt19937 random(11);
    for (int round = 0; round < 500; ++round) {
        const TemporaryFile edited(with_edited_block(bytes, random));
        for (const bool force : {false, true}) {
            ReplayOptions options;
            options.force = force;
            try {
                replay(edited.path(), options);
            } catch (const ConfigError&) {
            }
        }
    }
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

    // The same commands, one of which wrote something else.
    CommandTraceReader reader(a.path());
    CommandTraceWriter writer(d.path(), reader.machine(), true);
    std::uint64_t index = 0;
    for (TraceEntry entry; reader.next(entry); ++index) {
        if (index == 50) {
            REQUIRE(entry.kind == EntryKind::kCommand);
            entry.data_crc = ~*entry.data_crc;
        }
        writer.add(entry);
    }
    writer.finish();
    const TraceComparison data = compare_traces(a.path(), d.path());
    CHECK_FALSE(data.command);
    REQUIRE(data.data);
    CHECK(data.data->entry == 50);
}

}  // namespace
