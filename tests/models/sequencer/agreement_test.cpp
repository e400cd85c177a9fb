// SPDX-License-Identifier: Apache-2.0
// The fast machine and the SystemC chip step the same sequencer: observers of both get the same
// events in the same order.
#include <set>

#include "models/chip/in_order_machine.h"
#include "sim/platform/simulation.h"
#include "tests/models/chip/set_commands.h"
#include "tests/models/sequencer/random_programs.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using models::Picoseconds;

/// Records all events of an observer.
struct Log : models::CommandObserver {
    enum Kind : std::int64_t { kSubmitted, kRetired, kAccess, kChannel, kLaunch, kFinish, kState };
    using Entry = std::array<std::int64_t, 9>;
    std::vector<Entry> entries;
    std::set<isa::Opcode> opcodes;
    std::set<models::ProcessorState> states;

    static std::int64_t engine_of(const isa::Command& command) {
        return static_cast<std::int64_t>(command.info().engine) * 1000 + command.instance;
    }
    void submitted(const isa::Command& command) override {
        entries.push_back({kSubmitted, engine_of(command), command.id});
    }
    void retired(const isa::Command& command, const models::CommandTimes& times) override {
        opcodes.insert(command.opcode);
        entries.push_back({kRetired, engine_of(command), command.id, times.queued.value,
                           times.start.value, times.end.value, times.cost.memory_bandwidth.value,
                           times.cost.memory_latency.value, times.cost.bank_conflict.value});
    }
    void accessed(const isa::ProcessorAccess& access) override {
        entries.push_back({kAccess, static_cast<std::int64_t>(access.address.value())});
    }
    void memory_channel(const models::ChannelUse& use) override {
        entries.push_back({kChannel, use.channel, static_cast<std::int64_t>(use.direction),
                           use.start.value, use.end.value, static_cast<std::int64_t>(use.bytes)});
    }
    void launch_started(Picoseconds time) override { entries.push_back({kLaunch, time.value}); }
    void launch_finished(Picoseconds time) override { entries.push_back({kFinish, time.value}); }
    void processor(models::ProcessorState state, Picoseconds begin, Picoseconds end) override {
        states.insert(state);
        entries.push_back({kState, static_cast<std::int64_t>(state), begin.value, end.value});
    }
};

using Settings = std::vector<std::string>;

/// Runs two launches on both and compares them; returns the log of the chip's observer.
Log compare(const Settings& changes, unsigned seed, std::size_t steps,
            unsigned compute_engines = 1) {
    Settings settings = tests::program_machine();
    settings.insert(settings.end(), changes.begin(), changes.end());
    const sim::Machine machine = sim::load_machine("bm1684", settings);
    Log chip_log;
    sim::Simulation simulation(machine, {.with_data = false});
    simulation.add_observer(chip_log);
    std::vector<Picoseconds> durations;
    for (unsigned launch = 0; launch < 2; ++launch) {
        simulation.launch(
            {[=](isa::CommandPort& port) {
                 tests::RandomProgram(seed + launch, steps, compute_engines).run(port);
             },
             [&](Picoseconds start, Picoseconds end) { durations.push_back(end - start); }});
    }
    simulation.run();

    Log log;
    models::InOrderMachine in_order(machine.params);
    in_order.add_observer(log);
    for (unsigned launch = 0; launch < 2; ++launch) {
        in_order.begin_launch();
        tests::RandomProgram(seed + launch, steps, compute_engines).run(in_order);
        REQUIRE(in_order.end_launch() == durations.at(launch));
    }
    REQUIRE(chip_log.entries.size() == log.entries.size());
    for (std::size_t i = 0; i < log.entries.size(); ++i) {
        INFO("entry " << i);
        REQUIRE(chip_log.entries[i] == log.entries[i]);
    }
    return chip_log;
}

}  // namespace

TEST_CASE("the fast machine gives the chip's times over all opcodes") {
    const Log log = compare({}, 1, 20 * tests::every_command().size());
    for (const isa::InstructionInfo& row : isa::instructions()) {
        INFO(row.name);
        CHECK(log.opcodes.contains(row.opcode) == row.is_command());
    }
}

TEST_CASE("queues of any depth, fast and slow processors") {
    for (const char* depth : {"mcu.queue_depth=1", "mcu.queue_depth=3", "mcu.queue_depth=16"}) {
        // A fast processor fills the queues, a slow one starves the engines.
        for (const char* cost :
             {"mcu.command_cycles=0", "mcu.command_cycles=7", "mcu.command_cycles=1810"}) {
            INFO(depth << " " << cost);
            compare({depth, cost}, 7, 500);
        }
    }
    // Together they reach every state of the processor.
    CHECK(compare({"mcu.queue_depth=1", "mcu.command_cycles=7"}, 7, 500).states.size() == 7);
}

TEST_CASE("engines that share banks of local memory") {
    for (const char* depth : {"mcu.queue_depth=1", "mcu.queue_depth=16"}) {
        for (const char* cost : {"mcu.command_cycles=0", "mcu.command_cycles=300"}) {
            INFO(depth << " " << cost);
            const Log log = compare({depth, cost, "chip.bank_interference=0.7",
                                     "bdc.bank_conflict_cycles=1.5", "dram.channels=4"},
                                    11, 2000);
            const bool any_stall =
                std::any_of(log.entries.begin(), log.entries.end(), [](const Log::Entry& entry) {
                    return entry[0] == Log::kRetired && entry[1] == 0 && entry[8] > 0;
                });
            // Commands of the GDMA lose time to the compute engine only.
            CHECK(any_stall);
        }
    }
}

TEST_CASE("costs that make many things happen at one moment") {
    // Every clock has cycles of 1 us and nothing takes a fraction of one.
    for (unsigned seed = 1; seed <= 4; ++seed) {
        compare({"mcu.clock_mhz=1.0", "bdc.clock_mhz=1.0", "gdma.clock_mhz=1.0",
                 "mcu.command_cycles=1", "mcu.poll_cycles=0", "mcu.query_cycles=0",
                 "bdc.startup_cycles=0", "bdc.copy_cycles=0", "gdma.setup_cycles=0",
                 "dram.read_bytes_per_nanosecond=1e6", "dram.read_latency_nanoseconds=0.0",
                 "dram.row_miss_nanoseconds=0.0", "chip.bank_interference=1.0"},
                seed, 500);
    }
}

TEST_CASE("a launch that was given up leaves no command behind") {
    const sim::Machine machine = sim::load_machine("bm1684", {"mcu.command_cycles=0"});
    Log log;
    models::InOrderMachine port(machine.params);
    port.begin_launch();
    port.submit(tests::gdma_set(1, 0, 0));
    port.submit(tests::gdma_set(2, 0, 0));
    port.add_observer(log);
    port.begin_launch();
    port.submit(tests::gdma_set(1, 0, 0));
    port.end_launch();
    const auto retired = [](const Log::Entry& entry) { return entry[0] == Log::kRetired; };
    CHECK(std::count_if(log.entries.begin(), log.entries.end(), retired) == 1);
}
