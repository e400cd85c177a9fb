// SPDX-License-Identifier: Apache-2.0
// Properties of the vendor's firmware library: queues and command ids.
#include <systemc>
#include <vector>

#include "models/sequencer/command_observer.h"
#include "sim/platform/simulation.h"
#include "tests/support/catch.h"
#include "tests/support/round_commands.h"

namespace {

using namespace okksim;
using models::Picoseconds;

/// Settings with cycles of 1 us. A command by a call takes 1 cycle, a transfer 1000.
std::vector<std::string> round_costs() {
    return {"mcu.clock_mhz=1.0",           "mcu.command_cycles=1",
            "mcu.parallel_start_cycles=0", "mcu.parallel_end_cycles=0",
            "host.launch_nanoseconds=0.0", "gdma.clock_mhz=1.0",
            "gdma.setup_cycles=1000",      "mcu.parallel_end_waits_from_id=3"};
}

/// Records the submission times of commands in us.
struct Log : models::CommandObserver {
    std::vector<std::int64_t> submissions;
    void submitted(const isa::Command&) override {
        submissions.push_back(sc_core::sc_time_stamp().value() / 1'000'000);
    }
};

std::vector<std::int64_t> run(const std::function<void(isa::CommandPort&)>& program) {
    sim::Simulation simulation(sim::load_machine("bm1684", round_costs()), {.with_data = false});
    Log log;
    simulation.add_observer(log);
    simulation.launch({program, [](Picoseconds, Picoseconds) {}});
    simulation.run();
    return log.submissions;
}

}  // namespace

TEST_CASE("the end of a parallel section waits only when ids run out") {
    const auto times = run([](isa::CommandPort& port) {
        const auto load = [&](isa::CommandId id) { port.submit(tests::load(id, port.machine())); };
        port.charge(isa::FirmwareCall::kParallelStart);
        load(1);
        load(2);
        port.charge(isa::FirmwareCall::kParallelEnd);  // id 2 of 3: no wait
        load(3);
        port.charge(isa::FirmwareCall::kParallelEnd);  // id 3: waits for all three transfers
        load(4);
        load(5);
        port.charge(isa::FirmwareCall::kParallelEnd);  // two ids since the wait
        load(6);
    });
    REQUIRE(times.size() == 6);
    CHECK(times[0] == 1);
    CHECK(times[2] == 3);
    // Three consecutive transfers of slightly more than 1000 us each, from 1 us on.
    CHECK(times[3] > 3000);
    CHECK(times[3] < 4000);
    CHECK(times[5] == times[3] + 2);
}

TEST_CASE("a command is written when more than three of a queue's fifteen entries are free") {
    const auto times = run([](isa::CommandPort& port) {
        for (isa::CommandId id = 1; id <= 13; ++id) port.submit(tests::load(id, port.machine()));
    });
    REQUIRE(times.size() == 13);
    // With eleven commands in the queue four entries are free, with twelve only three: the
    // thirteenth waits until the first transfer ends.
    CHECK(times[11] == 12);
    CHECK(times[12] > 1000);
}
