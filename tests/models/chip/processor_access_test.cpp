// SPDX-License-Identifier: Apache-2.0
// The control processor's own loads and stores, concurrent with GDMA transfers.
#include <vector>

#include "models/common/command_times.h"
#include "models/sequencer/command_observer.h"
#include "sim/platform/simulation.h"
#include "tests/support/catch.h"
#include "tests/support/round_commands.h"

namespace {

using namespace okksim;
using models::Picoseconds;
using models::ProcessorState;

constexpr std::int64_t kNanosecond = 1000;
constexpr std::int64_t kMicrosecond = 1'000'000;

/// Settings: a command costs the processor 1 us and the GDMA nothing. Global memory delivers 1 byte
/// per ns on one channel after a latency of 100 ns.
std::vector<std::string> round_costs() {
    return {"mcu.clock_mhz=1.0",
            "mcu.command_cycles=1",
            "host.launch_nanoseconds=0.0",
            "gdma.setup_cycles=0",
            "gdma.piece_cycles=0.0",
            "gdma.local_bytes_per_cycle=1e6",
            "gdma.plane_bytes_per_cycle=1e6",
            "gdma.system_bytes_per_cycle=1e6",
            "dram.channels=1",
            "dram.read_bytes_per_nanosecond=1.0",
            "dram.read_latency_nanoseconds=100.0",
            "dram.row_miss_nanoseconds=0.0",
            "dram.refresh_nanoseconds=0.0"};
}

/// Records events with times in ns since the launch.
struct Log : models::CommandObserver {
    struct Interval {
        ProcessorState state;
        std::int64_t begin, end;
        bool operator==(const Interval&) const = default;
    };
    std::vector<std::int64_t> transfers;  ///< ends
    std::vector<Interval> waits;          ///< for memory

    void retired(const isa::Command&, const models::CommandTimes& times) override {
        transfers.push_back(times.end.value / kNanosecond);
    }
    void processor(ProcessorState state, Picoseconds begin, Picoseconds end) override {
        if (state != ProcessorState::kMemoryBandwidth && state != ProcessorState::kMemoryLatency) {
            return;
        }
        waits.push_back({state, begin.value / kNanosecond, end.value / kNanosecond});
    }
};

Log run(const std::function<void(isa::CommandPort&)>& body) {
    Log log;
    sim::Simulation simulation(sim::load_machine("bm1684", round_costs()), {.with_data = false});
    simulation.add_observer(log);
    simulation.launch({body, [](Picoseconds, Picoseconds) {}});
    simulation.run();
    return log;
}

isa::ProcessorAccess load(std::uint64_t address, std::uint64_t bytes) {
    return {isa::SystemAddr::from(address), bytes, isa::AccessKind::kLoad};
}

}  // namespace

TEST_CASE("a load takes the time of its lines when the memory is idle") {
    const Log log =
        run([](isa::CommandPort& port) { port.access(load(port.machine().global_start + 30, 4)); });
    // Bytes 30 to 33 touch two lines: 64 ns, and twice the latency.
    CHECK(log.waits == std::vector<Log::Interval>{{ProcessorState::kMemoryBandwidth, 0, 64},
                                                  {ProcessorState::kMemoryLatency, 64, 264}});
}

TEST_CASE("a load during a long transfer shares the channel and takes its time from the next one") {
    const auto program = [](std::uint64_t bytes) {
        return [=](isa::CommandPort& port) {
            port.submit(tests::load(1, port.machine()));
            port.submit(tests::load(2, port.machine()));
            if (bytes > 0) port.access(load(port.machine().global_start, bytes));
        };
    };
    // Alone: queued at 1000 and 2000; 8000 of bytes and 100 of latency each, one after the other.
    CHECK(run(program(0)).transfers == std::vector<std::int64_t>{9100, 17200});

    // 3200 bytes at 2000, while the first transfer has the channel until 9000: twice 3200, then the
    // latency of 100 lines. The second transfer, from 9100, finds the channel busy until 12200.
    const Log half = run(program(3200));
    CHECK(half.waits == std::vector<Log::Interval>{{ProcessorState::kMemoryBandwidth, 2000, 8400},
                                                   {ProcessorState::kMemoryLatency, 8400, 18400}});
    CHECK(half.transfers == std::vector<std::int64_t>{9100, 12200 + 8100});

    // 8000 bytes outlast the first transfer and wait for at most its 7000 ns. The channel is busy
    // for the sum, until 17000.
    const Log all = run(program(8000));
    CHECK(all.waits.at(0) == Log::Interval{ProcessorState::kMemoryBandwidth, 2000, 17000});
    CHECK(all.transfers == std::vector<std::int64_t>{9100, 17000 + 8100});
}

TEST_CASE("a transfer that starts at the moment of a load comes first") {
    const Log log = run([](isa::CommandPort& port) {
        port.submit(tests::load(1, port.machine()));
        port.access(load(port.machine().global_start, 32));  // at 1000, as the transfer
    });
    CHECK(log.waits.at(0) == Log::Interval{ProcessorState::kMemoryBandwidth, 1000, 1064});
    CHECK(log.transfers == std::vector<std::int64_t>{9100});
}

TEST_CASE("stores take the write's latency, L2-SRAM its own, DTCM no time") {
    const Log log = run([](isa::CommandPort& port) {
        const isa::MachineShape& machine = port.machine();
        port.access(load(machine.dtcm_start, machine.dtcm_bytes));
        // 46 lines at 18.4 bytes per ns: 80 ns; 46 times 50 ns.
        port.access({isa::SystemAddr::from(machine.l2_start), 1472, isa::AccessKind::kStore});
    });
    CHECK(log.waits == std::vector<Log::Interval>{{ProcessorState::kMemoryBandwidth, 0, 80},
                                                  {ProcessorState::kMemoryLatency, 80, 2380}});
}
