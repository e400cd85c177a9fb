// SPDX-License-Identifier: Apache-2.0
// Commands that are known before a launch, issued by calls or fetched from a list.
#include <systemc>
#include <vector>

#include "models/sequencer/command_observer.h"
#include "sim/platform/simulation.h"
#include "tests/support/catch.h"
#include "tests/support/round_commands.h"

namespace {

using namespace okksim;
using models::Picoseconds;

/// Settings with MCU cycles of 1 us. A command by a call takes 100 cycles. A list takes 10 to
/// begin, and for each command 5 plus one per 36 of its 144 bytes. Transfer times are negligible.
std::vector<std::string> round_costs(const std::string& issue) {
    return {"mcu.issue=" + issue,
            "mcu.clock_mhz=1.0",
            "mcu.command_cycles=100",
            "mcu.parallel_start_cycles=7",
            "mcu.list_start_cycles=10",
            "mcu.list_command_cycles=5",
            "mcu.list_bytes_per_cycle=36.0",
            "mcu.integer_operation_cycles=1.0",
            "host.launch_nanoseconds=0.0"};
}

/// Records the submission times of commands in us.
struct Log : models::CommandObserver {
    std::vector<std::int64_t> submissions;
    void submitted(const isa::Command&) override {
        submissions.push_back(sc_core::sc_time_stamp().value() / 1'000'000);
    }
};

void run_program(isa::CommandPort& port) {
    port.submit(tests::load(1, port.machine()));
    port.charge(isa::FirmwareCall::kListStart);
    port.charge(isa::FirmwareCall::kParallelStart);
    port.compute({"loops", isa::ComputeKind::kInteger, 50});
    port.submit(tests::load(2, port.machine()));
    port.submit(tests::load(3, port.machine()));
    port.charge(isa::FirmwareCall::kListEnd);
    port.charge(isa::FirmwareCall::kParallelStart);
    port.submit(tests::load(4, port.machine()));
}

std::vector<std::int64_t> run_on(const std::vector<std::string>& settings,
                                 void (*program)(isa::CommandPort&)) {
    sim::Simulation simulation(sim::load_machine("bm1684", settings), {.with_data = false});
    Log log;
    simulation.add_observer(log);
    simulation.launch({program, [](Picoseconds, Picoseconds) {}});
    simulation.run();
    return log.submissions;
}

std::vector<std::int64_t> run(const std::string& issue) {
    return run_on(round_costs(issue), run_program);
}

void run_sections(isa::CommandPort& port) {
    port.charge(isa::FirmwareCall::kListStart);
    for (const int first : {1, 3}) {
        port.charge(isa::FirmwareCall::kParallelStart);
        port.submit(tests::load(first, port.machine()));
        port.submit(tests::load(first + 1, port.machine()));
        port.charge(isa::FirmwareCall::kParallelEnd);
    }
    port.charge(isa::FirmwareCall::kListEnd);
}

}  // namespace

TEST_CASE("without lists, commands known before cost what all do") {
    // 100; 7 + 50 + 100 later; 100; 7 + 100.
    CHECK(run("calls") == std::vector<std::int64_t>{100, 257, 357, 464});
}

TEST_CASE("commands of a list cost fetching, what firmware would compute for them nothing") {
    // 100; list start 10 and 5 + 4; 9; again by a call: 7 + 100.
    CHECK(run("lists") == std::vector<std::int64_t>{100, 119, 128, 235});
}

TEST_CASE("lists are fetched ahead, or go on some time after the engines are done") {
    // A transfer takes 200 us to set up (115,000 cycles at 575 MHz), so the engines are busy. The
    // list start takes 10 and 5 + 4; each further command 9.
    std::vector<std::string> settings = round_costs("lists");
    settings.insert(settings.end(), {"gdma.setup_cycles=115000"});
    CHECK(run_on(settings, run_sections) == std::vector<std::int64_t>{19, 28, 37, 46});
    // Two transfers of 200 us each from 19 on end at 419. Then 30 and 9; 9.
    settings.push_back("mcu.list_section_cycles=30");
    CHECK(run_on(settings, run_sections) == std::vector<std::int64_t>{19, 28, 458, 467});
}
