// SPDX-License-Identifier: Apache-2.0
// Machines with additional units: several compute engines, another system memory.
#include <cstring>

#include "firmware/calls/context.h"
#include "firmware/okk_access.h"
#include "models/chip/chip.h"
#include "models/chip/in_order_machine.h"
#include "sim/platform/simulation.h"
#include "tests/models/chip/set_commands.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using models::Picoseconds;

constexpr std::int64_t kMicrosecond = 1'000'000;
constexpr std::uint64_t kScratch = 0x40000000;
constexpr std::uint64_t kScratchBytes = 65536;

/// Commands cost the processor no time. A compute command takes 10 us, a transfer the time of its
/// memories. The scratch memory transfers 1 byte per ns and answers after 100 ns.
std::vector<std::string> settings(int compute_engines) {
    return {"chip.compute_engines=" + std::to_string(compute_engines),
            "mcu.command_cycles=0",
            "mcu.poll_cycles=0",
            "host.launch_nanoseconds=0.0",
            "bdc.clock_mhz=1.0",
            "bdc.startup_cycles=10",
            "bdc.copy_cycles=0",
            "gdma.setup_cycles=0",
            "gdma.piece_cycles=0.0",
            "gdma.realign_cycles_per_beat=0.0",
            "memory.scratch.start=0x40000000",
            "memory.scratch.bytes=65536",
            "memory.scratch.read_bytes_per_nanosecond=1.0",
            "memory.scratch.write_bytes_per_nanosecond=1.0",
            "memory.scratch.read_latency_nanoseconds=100.0",
            "memory.scratch.write_latency_nanoseconds=100.0",
            "memory.scratch.burst_bytes=32"};
}

struct Log : models::CommandObserver {
    std::vector<std::int64_t> ends;   ///< in us
    std::vector<std::int64_t> waits;  ///< for memory, in ns
    void retired(const isa::Command&, const models::CommandTimes& times) override {
        ends.push_back(times.end.value / kMicrosecond);
    }
    void processor(models::ProcessorState, Picoseconds begin, Picoseconds end) override {
        waits.push_back((end - begin).value / 1000);
    }
};

/// One launch on a chip with data.
class Run {
 public:
    Run(int compute_engines, const std::function<void(isa::CommandPort&)>& body)
        : simulation_(sim::load_machine("bm1684", settings(compute_engines)), {}) {
        simulation_.add_observer(log);
        simulation_.launch({body, [](Picoseconds, Picoseconds) {}});
        simulation_.run();
    }
    models::Chip& chip() { return simulation_.chip(); }

    Log log;

 private:
    sim::Simulation simulation_;
};

isa::Command on_engine(isa::Command command, std::uint16_t instance) {
    command.instance = instance;
    return command;
}

isa::Command store(isa::CommandId id, std::uint64_t address) {
    isa::GdmaCopyToSystem op{};
    op.dst_addr = isa::SystemAddr::from(address);
    op.shape = {1, 1, 1, 1000};
    op.dst_stride = op.src_stride = {1000, 1000, 1000, 1};
    isa::Command command = isa::Command::make(isa::Opcode::gdma_32bit_cpy_L2S, op);
    command.id = id;
    return command;
}

isa::Command load(isa::CommandId id, std::uint64_t address, isa::LocalAddr local) {
    isa::GdmaCopyToLocal op{};
    op.src_addr = isa::SystemAddr::from(address);
    op.dst_addr = local;
    op.shape = {1, 1, 1, 1000};
    op.dst_stride = op.src_stride = {1000, 1000, 1000, 1};
    isa::Command command = isa::Command::make(isa::Opcode::gdma_32bit_cpy_S2L, op);
    command.id = id;
    return command;
}

}  // namespace

TEST_CASE("two compute engines work at once, and both effects are there") {
    const auto program = [](isa::CommandPort& port) {
        for (isa::CommandId id = 1; id <= 4; ++id) {
            const isa::Command command = tests::bdc_set(id, 0, 100 + id, {4 * id});
            port.submit(on_engine(command, static_cast<std::uint16_t>((id - 1) % 2)));
        }
        port.wait_until_idle();
    };
    Run run(2, program);
    CHECK(run.log.ends == std::vector<std::int64_t>{10, 10, 20, 20});
    CHECK(run.chip().engines.size() == 3);
    for (std::uint32_t id = 1; id <= 4; ++id) {
        std::uint32_t word = 0;
        std::memcpy(&word, run.chip().local_memory().at(0, 4 * id), sizeof word);
        CHECK(word == 100 + id);
    }
    models::InOrderMachine fast(sim::load_machine("bm1684", settings(2)).params);
    fast.begin_launch();
    program(fast);
    CHECK(fast.end_launch().value == 20 * kMicrosecond);
}

TEST_CASE("an engine that the machine lacks is an error of the program") {
    models::InOrderMachine fast(sim::load_machine("bm1684", settings(1)).params);
    fast.begin_launch();
    CHECK_THROWS_WITH(fast.submit(on_engine(tests::bdc_set(1, 0, 0), 1)),
                      Catch::Contains("chip.compute_engines"));
}

TEST_CASE("the data mover and the processor reach a memory from the machine file") {
    Run run(1, [](isa::CommandPort& port) {
        port.submit(tests::bdc_set(1, 0, 77));
        isa::Command out = store(1, kScratch + kScratchBytes - 4000);
        out.wait_bdc = 1;
        port.submit(out);
        isa::Command in = load(2, kScratch + kScratchBytes - 4000, {8192});
        in.wait_gdma = 1;
        port.submit(in);
        port.wait_until_idle();
        port.access({isa::SystemAddr::from(kScratch), 32, isa::AccessKind::kLoad});
    });
    CHECK_FALSE(run.chip().fault().has_value());
    // The fill runs until 10 us. Then 4000 bytes go out and in: 4000 ns and 100 of latency each.
    CHECK(run.log.ends == std::vector<std::int64_t>{10, 14, 18});
    // The processor waits for the engines; then 32 ns and 100 for one line.
    CHECK(run.log.waits == std::vector<std::int64_t>{18200, 32, 100});
    std::uint32_t word = 0;
    std::memcpy(&word, run.chip().local_memory().at(0, 8192), sizeof word);
    CHECK(word == 77);
}

TEST_CASE("what leaves the memory faults") {
    Run run(1, [](isa::CommandPort& port) {
        port.submit(tests::bdc_set(1, 0, 77));
        isa::Command out = store(1, kScratch + kScratchBytes - 3996);
        out.wait_bdc = 1;
        port.submit(out);
    });
    REQUIRE(run.chip().fault().has_value());
    CHECK(run.chip().fault()->code == FaultCode::kBadAddress);

    models::InOrderMachine fast(sim::load_machine("bm1684", settings(1)).params);
    firmware::Context context(fast);
    const firmware::Context::Binding binding(context);
    CHECK_THROWS_AS(okk_load_addr(kScratch + kScratchBytes - 4, 5), ProgramFault);
    CHECK_THROWS_AS(okk_load_addr(kScratch - 1, 1), ProgramFault);
}
