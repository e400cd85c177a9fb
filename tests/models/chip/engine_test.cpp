// SPDX-License-Identifier: Apache-2.0
// Sequencing of the chip: order, dependencies, back-pressure, poll, launches. The machine's costs
// make every expected time a sum of a few round numbers.
#include <vector>

#include "models/chip/memory_params.h"
#include "models/sequencer/command_observer.h"
#include "sim/platform/simulation.h"
#include "tests/models/chip/set_commands.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using isa::Command;
using models::Picoseconds;
using tests::bdc_set;
using tests::gdma_set;

constexpr std::int64_t kMicrosecond = 1'000'000;  // picoseconds

/// Settings with cycles of 1 us for every clock. A command costs the MCU 1 cycle and the BDC
/// `bdc_cycles` (all start-up). A GDMA fill costs 100 set-up cycles and negligible transfer time.
std::vector<std::string> round_costs(int bdc_cycles, int queue_depth) {
    return {"mcu.clock_mhz=1.0",
            "mcu.command_cycles=1",
            "mcu.poll_cycles=0",
            "mcu.queue_depth=" + std::to_string(queue_depth),
            "host.launch_nanoseconds=5000.0",
            "host.sync_nanoseconds=0.0",
            "bdc.clock_mhz=1.0",
            "bdc.startup_cycles=" + std::to_string(bdc_cycles),
            "bdc.copy_cycles=0",
            "gdma.clock_mhz=1.0",
            "gdma.setup_cycles=100",
            "gdma.piece_cycles=0.0",
            "gdma.local_bytes_per_cycle=1e6"};
}

struct Log : models::CommandObserver {
    struct Entry {
        isa::Engine engine;
        isa::CommandId id;
        models::CommandTimes times;
    };
    std::vector<Entry> entries;
    void retired(const Command& command, const models::CommandTimes& times) override {
        entries.push_back({command.info().engine, command.id, times});
    }
};

struct Run {
    Picoseconds start, end;
    Log log;
};

/// Runs one program on a fresh chip and returns its times relative to simulation start.
Run run_program(const std::vector<std::string>& settings,
                const std::function<void(isa::CommandPort&)>& body) {
    sim::Simulation simulation(sim::load_machine("bm1684", settings), {});
    Run run;
    simulation.add_observer(run.log);
    simulation.launch({body, [&](Picoseconds start, Picoseconds end) {
                           run.start = start;
                           run.end = end;
                       }});
    simulation.run();
    return run;
}

}  // namespace

TEST_CASE("commands of one engine run in order, each after the other") {
    const Run run = run_program(round_costs(10, 8), [](isa::CommandPort& port) {
        for (isa::CommandId id = 1; id <= 3; ++id) port.submit(bdc_set(id, 0, id));
        port.wait_until_idle();
    });
    // Launch 5 us; the MCU writes command k at 5 + k us; the first runs 6..16, then back to back.
    REQUIRE(run.start.value == 5 * kMicrosecond);
    REQUIRE(run.log.entries.size() == 3);
    CHECK(run.log.entries[0].times.start.value == 6 * kMicrosecond);
    CHECK(run.log.entries[0].times.end.value == 16 * kMicrosecond);
    CHECK(run.log.entries[1].times.start.value == 16 * kMicrosecond);
    CHECK(run.log.entries[2].times.end.value == 36 * kMicrosecond);
    CHECK(run.end.value == 36 * kMicrosecond);
}

TEST_CASE("a command waits for the other engine's command it names, and not without") {
    const auto body = [](isa::CommandId wait_gdma) {
        return [wait_gdma](isa::CommandPort& port) {
            port.submit(gdma_set(1, 0, 7));
            port.submit(bdc_set(1, wait_gdma, 9));
        };
    };
    // The fill is written at 6 us. It takes 100 us plus a transfer of 256 bytes at 1e6 bytes per
    // cycle, rounded up to one cycle, and ends at 107 us. The set command is written at 7 us.
    const Run dependent = run_program(round_costs(10, 8), body(1));
    CHECK(dependent.log.entries[1].times.start.value == 107 * kMicrosecond);
    CHECK(dependent.end.value == 117 * kMicrosecond);
    const Run independent = run_program(round_costs(10, 8), body(0));
    CHECK(independent.log.entries[0].engine == isa::Engine::kBdc);
    CHECK(independent.log.entries[0].times.start.value == 7 * kMicrosecond);
    CHECK(independent.end.value == 107 * kMicrosecond);
}

TEST_CASE("a full queue stalls the control processor") {
    // At depth 1, the queue holds only the command in flight. Command 2 is ready at 7 us but enters
    // the queue when command 1 ends at 16. Command 3 costs one more cycle and waits until 26.
    const Run run = run_program(round_costs(10, 1), [](isa::CommandPort& port) {
        for (isa::CommandId id = 1; id <= 3; ++id) port.submit(bdc_set(id, 0, id));
    });
    CHECK(run.log.entries[1].times.queued.value == 16 * kMicrosecond);
    CHECK(run.log.entries[2].times.queued.value == 26 * kMicrosecond);
    // With depth 2, command 2 enters at 7 us and command 3 at 16.
    const Run deeper = run_program(round_costs(10, 2), [](isa::CommandPort& port) {
        for (isa::CommandId id = 1; id <= 3; ++id) port.submit(bdc_set(id, 0, id));
    });
    CHECK(deeper.log.entries[1].times.queued.value == 7 * kMicrosecond);
    CHECK(deeper.log.entries[2].times.queued.value == 16 * kMicrosecond);
}

TEST_CASE("memory shows an effect from the command's end on, not before") {
    std::uint32_t before = 0;
    std::uint32_t after = 0;
    run_program(round_costs(10, 8), [&](isa::CommandPort& port) {
        port.submit(bdc_set(1, 0, 42));
        before = *static_cast<std::uint32_t*>(port.local_pointer({0}));
        port.wait_until_idle();
        after = *static_cast<std::uint32_t*>(port.local_pointer({0}));
    });
    CHECK(before == 0xCDCDCDCDu);  // LocalMemory::kPoisonByte
    CHECK(after == 42u);
}

TEST_CASE("simulated time goes on over launches, and command ids start again") {
    sim::Simulation simulation(sim::load_machine("bm1684", round_costs(10, 8)), {});
    std::vector<Picoseconds> ends;
    for (int launch = 0; launch < 2; ++launch) {
        simulation.launch({[](isa::CommandPort& port) { port.submit(bdc_set(1, 0, 1)); },
                           [&](Picoseconds, Picoseconds end) { ends.push_back(end); }});
    }
    simulation.run();
    // Each launch: 5 us launch cost + 1 us MCU + 10 us command.
    REQUIRE(ends.size() == 2);
    CHECK(ends[0].value == 16 * kMicrosecond);
    CHECK(ends[1].value == 32 * kMicrosecond);
    simulation.advance({7 * kMicrosecond});
    CHECK(simulation.time().value == 39 * kMicrosecond);
}

TEST_CASE("two chips live side by side in one process") {
    sim::Simulation first(sim::load_machine("bm1684", round_costs(10, 8)), {});
    sim::Simulation second(sim::load_machine("bm1684", round_costs(20, 8)), {});
    Picoseconds first_end, second_end;
    first.launch({[](isa::CommandPort& port) { port.submit(bdc_set(1, 0, 1)); },
                  [&](Picoseconds, Picoseconds end) { first_end = end; }});
    second.launch({[](isa::CommandPort& port) { port.submit(bdc_set(1, 0, 1)); },
                   [&](Picoseconds, Picoseconds end) { second_end = end; }});
    second.run();
    first.run();
    CHECK(first_end.value == 16 * kMicrosecond);
    CHECK(second_end.value == 26 * kMicrosecond);
}
TEST_CASE("Host copies take the time of the link or of the memory's channels") {
    struct Channels : models::CommandObserver {
        std::vector<models::ChannelUse> uses;
        void memory_channel(const models::ChannelUse& use) override { uses.push_back(use); }
    } channels;
    sim::Simulation simulation(
        sim::load_machine("bm1684",
                          {"dram.write_bytes_per_nanosecond=2.0", "dram.refresh_nanoseconds=0.0",
                           "dram.row_miss_nanoseconds=0.0", "dram.turnaround_nanoseconds=0.0",
                           "dram.write_latency_nanoseconds=100.0"}),
        {.with_data = false});
    simulation.add_observer(channels);
    const auto start = static_cast<std::uint64_t>(simulation.machine().params.global->start);
    // 4096 bytes in either channel at 1 byte per ns, and 100 ns of latency.
    simulation.host_copy(start, 8192, models::MemoryDirection::kWrite, Picoseconds{4'195'999});
    CHECK(simulation.time().value == 4'196'000);
    REQUIRE(channels.uses.size() == 2);
    CHECK(channels.uses[1].channel == 1);
    CHECK(channels.uses[1].bytes == 4096);
    CHECK(channels.uses[1].end.value == 4'096'000);
    simulation.host_copy(start, 8192, models::MemoryDirection::kWrite, Picoseconds{4'196'001});
    CHECK(simulation.time().value == 4'196'000 + 4'196'001);
}
