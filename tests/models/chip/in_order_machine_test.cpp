// SPDX-License-Identifier: Apache-2.0
// The closed form of the chip's sequencing against the chip itself.
#include "models/chip/in_order_machine.h"

#include <array>
#include <random>

#include "firmware/context.h"
#include "sim/platform/simulation.h"
#include "tests/models/chip/set_commands.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using models::Picoseconds;

/// Everything an observer sees, in an order that both machines share.
struct Log : models::CommandObserver {
    struct Entry {
        isa::CommandId id;
        models::CommandTimes times;
    };
    std::vector<Entry> gdma, bdc;
    std::vector<std::int64_t> processor_times;
    std::vector<std::array<std::int64_t, 5>> channels;

    void retired(const isa::Command& command, const models::CommandTimes& times) override {
        (command.info().engine == isa::Engine::kGdma ? gdma : bdc).push_back({command.id, times});
    }
    void accessed(const isa::ProcessorAccess& access) override {
        processor_times.push_back(static_cast<std::int64_t>(access.address.value()));
    }
    void memory_channel(const models::ChannelUse& use) override {
        channels.push_back({use.channel, static_cast<std::int64_t>(use.direction), use.start.value,
                            use.end.value, static_cast<std::int64_t>(use.bytes)});
    }
    void launch_started(Picoseconds time) override { processor_times.push_back(time.value); }
    void launch_finished(Picoseconds time) override { processor_times.push_back(time.value); }
    void processor(models::ProcessorState state, Picoseconds begin, Picoseconds end) override {
        // The chip reports a wait for both engines as one interval, the closed form as up to two.
        if (state == models::ProcessorState::kEngineWait) return;
        processor_times.push_back(static_cast<std::int64_t>(state));
        processor_times.push_back(begin.value);
        processor_times.push_back(end.value);
    }
};

void check_equal(const std::vector<Log::Entry>& a, const std::vector<Log::Entry>& b) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        INFO("command " << i);
        REQUIRE(a[i].id == b[i].id);
        REQUIRE(a[i].times.queued == b[i].times.queued);
        REQUIRE(a[i].times.start == b[i].times.start);
        REQUIRE(a[i].times.end == b[i].times.end);
        REQUIRE(a[i].times.cost.memory_bandwidth == b[i].times.cost.memory_bandwidth);
        REQUIRE(a[i].times.cost.memory_latency == b[i].times.cost.memory_latency);
        REQUIRE(a[i].times.cost.bank_conflict == b[i].times.cost.bank_conflict);
    }
}

isa::Command random_command(std::mt19937& random, const isa::MachineShape& machine) {
    const auto pick = [&](int low, int high) {
        return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    const isa::Dim4 shape{pick(1, 3), pick(1, 130), pick(1, 20), pick(1, 40)};
    const isa::Dim4 stride{shape.c * shape.h * shape.w, shape.h * shape.w, shape.w, 1};
    // Anywhere that the tensor fits, so that commands meet in some banks and not in others.
    const auto local = [&] {
        return isa::LocalAddr{static_cast<std::uint32_t>(pick(0, 3) * 65536 + pick(0, 500) * 128)};
    };
    const auto system =
        isa::SystemAddr::from((pick(0, 3) == 0 ? machine.l2_start : machine.global_start) +
                              static_cast<std::uint64_t>(pick(0, 1000) * 4));
    switch (pick(0, 4)) {
        case 0:
            return isa::Command::make(isa::Opcode::gdma_32bit_cpy_S2L,
                                      isa::GdmaCopyToLocal{local(), system, shape, stride, stride});
        case 1:
            return isa::Command::make(
                isa::Opcode::gdma_32bit_cpy_L2S,
                isa::GdmaCopyToSystem{system, local(), shape, stride, stride});
        case 2:
            return isa::Command::make(isa::Opcode::gdma_32bit_cpy_S2S,
                                      isa::GdmaCopySystem{system, system, shape, stride, stride});
        default:
            return isa::Command::make(
                isa::Opcode::bdc_add,
                isa::VectorBinary{local(), local(), local(), shape, stride, stride, stride});
    }
}

/// Loads and stores of up to 40 lines in any memory.
isa::ProcessorAccess random_access(std::mt19937& random, const isa::MachineShape& machine) {
    const std::array<std::uint64_t, 4> starts{machine.global_start, machine.global_start + 4096,
                                              machine.l2_start, machine.dtcm_start};
    return {isa::SystemAddr::from(starts[random() % starts.size()] + random() % 4096),
            1 + random() % 1280,
            random() % 3 == 0 ? isa::AccessKind::kStore : isa::AccessKind::kLoad};
}

/// Serial and parallel sections, polls, calls without a command, the processor's own accesses
/// and computing.
void random_program(isa::CommandPort& port, unsigned seed) {
    std::mt19937 random(seed);
    firmware::Context context(port);
    context.begin_launch();
    for (int i = 0; i < 400; ++i) {
        const unsigned kind = random() % 12;
        if (kind == 0) {
            context.parallel() ? context.parallel_end() : context.parallel_start();
        } else if (kind == 1 && !context.parallel()) {
            context.poll();
        } else if (kind == 2) {
            port.charge(isa::FirmwareCall::kQuery);
        } else if (kind == 3) {
            port.access(random_access(random, port.machine()));
        } else if (kind == 4) {
            const auto unit =
                random() % 2 == 0 ? isa::ComputeKind::kInteger : isa::ComputeKind::kSoftFloat;
            port.compute({"work", unit, random() % 3000});
        } else {
            context.issue(random_command(random, port.machine()));
        }
    }
}

void compare(const std::vector<std::string>& settings, unsigned seed) {
    const sim::Machine machine = sim::load_machine("bm1684", settings);
    Log chip_log;
    sim::Simulation simulation(machine, {.with_data = false});
    simulation.chip().add_observer(chip_log);
    std::vector<Picoseconds> durations;
    for (unsigned launch = 0; launch < 2; ++launch) {
        simulation.launch(
            {[=](isa::CommandPort& port) { random_program(port, seed + launch); },
             [&](Picoseconds start, Picoseconds end) { durations.push_back(end - start); }});
    }
    simulation.run();

    Log log;
    models::InOrderMachine in_order(machine.params);
    in_order.add_observer(log);
    for (unsigned launch = 0; launch < 2; ++launch) {
        in_order.begin_launch();
        random_program(in_order, seed + launch);
        REQUIRE(in_order.end_launch() == durations.at(launch));
    }
    check_equal(chip_log.gdma, log.gdma);
    check_equal(chip_log.bdc, log.bdc);
    REQUIRE(chip_log.processor_times == log.processor_times);
    REQUIRE_FALSE(log.channels.empty());
    REQUIRE(chip_log.channels == log.channels);
}

TEST_CASE("The closed form gives the chip's times") {
    for (const char* depth : {"mcu.queue_depth=1", "mcu.queue_depth=3", "mcu.queue_depth=16"}) {
        // A fast processor fills the queues, a slow one starves the engines.
        for (const char* cost :
             {"mcu.command_cycles=0", "mcu.command_cycles=7", "mcu.command_cycles=1810"}) {
            for (unsigned seed = 1; seed <= 3; ++seed) {
                INFO(depth << " " << cost << " seed " << seed);
                compare({depth, cost}, seed);
            }
        }
    }
}

TEST_CASE("The closed form knows which engine waits for a bank") {
    for (const char* depth : {"mcu.queue_depth=1", "mcu.queue_depth=16"}) {
        for (const char* cost : {"mcu.command_cycles=0", "mcu.command_cycles=1810"}) {
            for (unsigned seed = 1; seed <= 4; ++seed) {
                INFO(depth << " " << cost << " seed " << seed);
                compare({depth, cost, "chip.bank_interference=0.7", "bdc.bank_conflict_cycles=1.5",
                         "dram.channels=4"},
                        seed);
            }
        }
    }
}

TEST_CASE("A launch that was given up leaves no command behind") {
    const sim::Machine machine = sim::load_machine("bm1684", {"mcu.command_cycles=0"});
    Log log;
    models::InOrderMachine port(machine.params);
    port.add_observer(log);
    port.begin_launch();
    port.submit(tests::gdma_set(1, 0, 0));
    port.submit(tests::gdma_set(2, 0, 0));  // begins when the first has ended: not timed yet
    port.begin_launch();
    port.submit(tests::gdma_set(1, 0, 0));
    port.end_launch();
    REQUIRE(log.gdma.size() == 2);
    CHECK(log.gdma[1].id == 1);
}

}  // namespace
