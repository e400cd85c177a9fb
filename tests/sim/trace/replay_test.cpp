// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/replay.h"

#include <lzma.h>

#include <cstring>
#include <random>

#include "firmware/okk.h"
#include "firmware/okk_features.h"
#include "isa/base/errors.h"
#include "models/chip/memory_params.h"
#include "sim/trace/command_trace_reader.h"
#include "sim/trace/command_trace_writer.h"
#include "sim/trace/entry_text.h"
#include "sim/trace/trace_diff.h"
#include "tests/sim/trace/temporary_file.h"
#include "tests/sim/trace/traced_run.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim::trace;
using tests::TemporaryFile;

TEST_CASE("A replay takes the commands to another machine") {
    const TemporaryFile file("");
    tests::record_closed_form(file.path(), {});
    const std::vector<std::string> faster{"mcu.command_cycles=181", "bdc.startup_cycles=140"};
    const TemporaryFile other("");
    tests::record_closed_form(other.path(), faster);
    ReplayOptions options;
    options.settings = faster;
    const ReplayReport report = replay(file.path(), options);
    CHECK_FALSE(report.same_machine);
    const ReplayReport slow = replay(file.path(), {});
    const ReplayReport fast = replay(other.path(), {});
    CHECK(report.launches[0].simulated_us == fast.launches[0].recorded_us);
    CHECK(report.launches[0].recorded_us == slow.launches[0].simulated_us);
    CHECK(fast.launches[0].simulated_us < slow.launches[0].simulated_us);

    options.settings = {"chip.lanes=8"};
    CHECK_THROWS_WITH(replay(file.path(), options),
                      Catch::Contains("the commands are for 64 lanes"));
}

TEST_CASE("A replay refuses machines on which firmware would have seen something else") {
    const TemporaryFile file("");
    tests::record_closed_form(file.path(), {});
    for (const char* key : {"chip.local_memory_start=0", "l2.bytes=65536", "dtcm.bytes=65536",
                            "global.reserved_bytes=0", "l2.lookup_table_start=0",
                            "l2.lookup_table_bytes=0", "compat.sdk_quirks=true"}) {
        CAPTURE(key);
        ReplayOptions options;
        options.settings = {key};
        const std::string name(key, std::strchr(key, '='));
        CHECK_THROWS_WITH(replay(file.path(), options), Catch::Contains("was made with " + name));
    }
}

TEST_CASE("A recording that uses a group of instructions needs a machine that has it") {
    const TemporaryFile file("");
    const sim::Machine machine = sim::load_machine("bm1684", {"features.int_alu=true"});
    CommandRecorder recorder(file.path(), machine);
    models::InOrderMachine port(machine.params);
    port.add_observer(recorder);
    recorder.name_launch("sum");
    port.begin_launch();
    {
        firmware::Context context(port);
        context.begin_launch();
        const firmware::Context::Binding binding(context);
        const dim4 shape{1, 64, 4, 4};
        okk_initialize();
        okk_bdc_int_add(0, 4096, 8192, &shape, nullptr, nullptr, nullptr, OKK_INT8, OKK_INT8,
                        OKK_INT8, true);
    }
    port.end_launch();
    recorder.finish();

    CHECK(replay(file.path(), {}).commands[isa::Engine::kBdc] == 1);
    ReplayOptions options;
    options.settings = {"features.int_alu=false"};
    CHECK_THROWS_WITH(replay(file.path(), options),
                      Catch::Contains("was made with features.int_alu = 1, the machine has 0"));
    // Forced onto a machine, the replay runs up to the command.
    options = {};
    options.machine = "bm1684";
    options.force = true;
    const ReplayReport report = replay(file.path(), options);
    REQUIRE(report.stopped);
    CHECK_THAT(*report.stopped, Catch::Contains("bdc_int_add needs a machine with the instruction "
                                                "group int_alu") &&
                                    Catch::EndsWith("features.int_alu = true"));
}

TEST_CASE("What is changed for a replay, and was for a recording, is part of the machine's name") {
    const TemporaryFile file("");
    tests::record_closed_form(file.path(), {"mcu.command_cycles=181"});
    ReplayOptions options;
    CHECK(replay(file.path(), options).machine.label().ends_with(" with mcu.command_cycles=181"));
    options.settings = {"bdc.startup_cycles=140"};
    CHECK(replay(file.path(), options)
              .machine.label()
              .ends_with(" with mcu.command_cycles=181, bdc.startup_cycles=140"));
}

TEST_CASE("Damaged command traces are refused by name, or replayed as far as they go") {
    const TemporaryFile file("");
    tests::record_closed_form(file.path(), {}, 3000);
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
    CHECK(report.commands.total() > 0);
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
    const std::uint64_t end =
        static_cast<std::uint64_t>(machine.params.l2->start + machine.params.l2->bytes);
    entry.kind = EntryKind::kAccess;
    entry.access = {isa::SystemAddr::from(end - 8), 8, isa::AccessKind::kLoad};
    CHECK(complaint(entry) == "none");
    entry.access.bytes = 9;
    CHECK_THAT(complaint(entry), Catch::Contains("outside every memory"));
    entry.access.bytes = 0;
    CHECK_THAT(complaint(entry), Catch::Contains("outside every memory"));
}

TEST_CASE("Traces that differ in how often a function was called differ") {
    const auto record = [](const TemporaryFile& file, isa::FirmwareCall call, std::uint64_t count) {
        CommandTraceWriter writer(file.path(), sim::load_machine("bm1684"), false);
        TraceEntry entry;
        entry.kind = EntryKind::kLaunch;
        writer.add(entry);
        entry.kind = EntryKind::kCharge;
        entry.call = call;
        entry.count = count;
        writer.add(entry);
        entry.kind = EntryKind::kPoll;
        writer.add(entry);
        writer.finish();
    };
    const TemporaryFile two(""), also_two(""), three(""), other("");
    record(two, isa::FirmwareCall{0}, 2);
    record(also_two, isa::FirmwareCall{0}, 2);
    record(three, isa::FirmwareCall{0}, 3);
    record(other, isa::FirmwareCall{1}, 2);
    CHECK(compare_traces(two.path(), also_two.path()).equal());
    const TraceComparison count = compare_traces(two.path(), three.path());
    REQUIRE(count.command);
    CHECK(count.command->entry == 1);
    CHECK_FALSE(compare_traces(two.path(), other.path()).equal());
}

TEST_CASE("The totals at the end of a trace must be those of its entries") {
    const TemporaryFile file("");
    tests::record_closed_form(file.path(), {}, 30);
    const std::string bytes = file.read();
    constexpr std::size_t kNumber = 8;
    // The end block: kind, size, CRC of the payload, and the payload up to the end of the file.
    std::uint32_t size = 0;
    for (std::size_t numbers = 1; numbers < 20 && size == 0; ++numbers) {
        const std::size_t header = bytes.size() - numbers * kNumber - 12;
        std::uint32_t told = 0;
        std::memcpy(&told, bytes.data() + header + 4, sizeof told);
        if (told == numbers * kNumber) size = told;
    }
    REQUIRE(size > 0);
    for (std::size_t at = bytes.size() - size; at < bytes.size(); at += kNumber) {
        INFO("number " << (at - (bytes.size() - size)) / kNumber);
        std::string changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        const std::uint32_t crc = lzma_crc32(
            reinterpret_cast<const std::uint8_t*>(changed.data() + bytes.size() - size), size, 0);
        std::memcpy(changed.data() + bytes.size() - size - 4, &crc, sizeof crc);
        const TemporaryFile copy(changed);
        CHECK_THROWS_WITH(replay(copy.path(), {}), Catch::Contains("end block announces"));
    }
}

/// Records a trace of one launch in which the processor accesses memory twice.
void record_accesses(const TemporaryFile& file, const isa::ProcessorAccess& second) {
    CommandTraceWriter writer(file.path(), sim::load_machine("bm1684"), false);
    TraceEntry entry;
    entry.kind = EntryKind::kLaunch;
    writer.add(entry);
    entry.kind = EntryKind::kAccess;
    entry.access = {isa::SystemAddr::from(0x105100000), 12, isa::AccessKind::kLoad};
    writer.add(entry);
    entry.access = second;
    writer.add(entry);
    writer.finish();
}

TEST_CASE("Loads and stores of the processor are kept, shown and compared") {
    const isa::ProcessorAccess store{isa::SystemAddr::from(0x100A2000), 300,
                                     isa::AccessKind::kStore};
    const TemporaryFile file("");
    record_accesses(file, store);
    CommandTraceReader reader(file.path());
    const isa::MachineShape shape = reader.machine().params.shape();
    std::vector<std::string> lines;
    for (TraceEntry entry; reader.next(entry);) lines.push_back(entry_text(entry, shape));
    CHECK(lines == std::vector<std::string>{"launch ", "load 12 bytes at 0x105100000",
                                            "store 300 bytes at 0x100a2000"});
    CHECK(reader.totals().accesses == 2);

    // Another kind, one more byte, another address: each one is a difference.
    const auto change = [&](const auto& edit) {
        isa::ProcessorAccess other = store;
        edit(other);
        const TemporaryFile changed("");
        record_accesses(changed, other);
        return compare_traces(file.path(), changed.path());
    };
    CHECK(change([](isa::ProcessorAccess&) {}).equal());
    CHECK_FALSE(change([](isa::ProcessorAccess& a) { a.kind = isa::AccessKind::kLoad; }).equal());
    CHECK_FALSE(change([](isa::ProcessorAccess& a) { a.address.low += 1; }).equal());
    const TraceComparison longer = change([](isa::ProcessorAccess& a) { ++a.bytes; });
    REQUIRE(longer.command);
    CHECK(longer.command->entry == 2);
    CHECK(longer.command->b == "store 301 bytes at 0x100a2000");
    CHECK(access_text({store.address, 1, isa::AccessKind::kLoad}) == "load 1 byte at 0x100a2000");
}

/// Records a trace of one launch with three computations.
void record_computations(const TemporaryFile& file, std::uint64_t operations) {
    CommandTraceWriter writer(file.path(), sim::load_machine("bm1684"), false);
    TraceEntry entry;
    entry.kind = EntryKind::kLaunch;
    writer.add(entry);
    entry.kind = EntryKind::kCompute;
    const auto add = [&](const char* what, isa::ComputeKind kind, std::uint64_t count) {
        entry.name = what;
        entry.computation = {{}, kind, count};
        writer.add(entry);
    };
    add("index list", isa::ComputeKind::kInteger, 12);
    add("roots", isa::ComputeKind::kSoftFloat, 1);
    add("index list", isa::ComputeKind::kInteger, operations);
    writer.finish();
}

TEST_CASE("What the processor computes is kept, shown and compared") {
    const TemporaryFile file("");
    record_computations(file, 300);
    CommandTraceReader reader(file.path());
    const isa::MachineShape shape = reader.machine().params.shape();
    std::vector<std::string> lines;
    for (TraceEntry entry; reader.next(entry);) lines.push_back(entry_text(entry, shape));
    CHECK(lines == std::vector<std::string>{"launch ", "compute index list: 12 integer operations",
                                            "compute roots: 1 soft-float operation",
                                            "compute index list: 300 integer operations"});
    CHECK(reader.totals().computations == 3);
    const TemporaryFile same("");
    record_computations(same, 300);
    CHECK(compare_traces(file.path(), same.path()).equal());
    const TemporaryFile more("");
    record_computations(more, 301);
    const TraceComparison difference = compare_traces(file.path(), more.path());
    REQUIRE(difference.command);
    CHECK(difference.command->entry == 3);
}

/// Returns the trace with one byte of one block changed and the block's checksum corrected.
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
    tests::record_closed_form(file.path(), {});
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

}  // namespace
