// SPDX-License-Identifier: Apache-2.0
// Properties of the machine's times for any parameters.
#include <algorithm>

#include "models/bdc/bdc_params.h"
#include "models/bdc/bdc_timing.h"
#include "models/chip/in_order_machine.h"
#include "sim/machine/machine.h"
#include "sim/trace/accountant.h"
#include "tests/sim/trace/reference_engines.h"
#include "tests/sim/trace/traced_run.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;

std::int64_t random_program_time(const std::vector<std::string>& settings, unsigned seed) {
    models::InOrderMachine port(sim::load_machine("bm1684", settings).params);
    port.begin_launch();
    tests::random_program(port, seed, 200);
    return port.end_launch().value;
}

TEST_CASE("Equal programs take equal time") {
    for (unsigned seed = 1; seed <= 3; ++seed) {
        CHECK(random_program_time({}, seed) == random_program_time({}, seed));
    }
}

TEST_CASE("More of anything is never slower") {
    // Base values are those of the built-in machine; each line raises a rate or lowers a cost.
    const std::vector<std::string> better{"dram.read_bytes_per_nanosecond=50.0",
                                          "dram.write_bytes_per_nanosecond=50.0",
                                          "dram.read_latency_nanoseconds=20.0",
                                          "dram.row_miss_nanoseconds=5.0",
                                          "dram.refresh_nanoseconds=0.0",
                                          "bdc.bank_conflict_cycles=0.0",
                                          "l2_port.read_bytes_per_nanosecond=40.0",
                                          "gdma.clock_mhz=1000.0",
                                          "gdma.setup_cycles=100",
                                          "gdma.piece_cycles=0.01",
                                          "gdma.plane_bytes_per_cycle=60.0",
                                          "gdma.local_copy_bytes_per_cycle=60.0",
                                          "bdc.clock_mhz=1000.0",
                                          "bdc.execution_units=32",
                                          "bdc.startup_cycles=100",
                                          "bdc.convolution_channels_per_cycle=4",
                                          "mcu.clock_mhz=1000.0",
                                          "mcu.command_cycles=100",
                                          "mcu.queue_depth=64"};
    for (unsigned seed = 1; seed <= 4; ++seed) {
        // Once with a slow processor as the limit, and once with a fast processor.
        for (const std::string& base :
             {std::string("mcu.query_cycles=10"), std::string("mcu.command_cycles=150")}) {
            const std::int64_t time = random_program_time({base}, seed);
            for (const std::string& setting : better) {
                INFO(base << " " << setting << " seed " << seed);
                CHECK(random_program_time({base, setting}, seed) <= time);
            }
        }
    }
}

/// Cycles of a convolution from 64 to 256 channels, laid out for a number of lanes.
std::int64_t convolution_cycles(std::int32_t lanes) {
    sim::Machine machine = sim::load_machine("bm1684", {"chip.lanes=" + std::to_string(lanes)});
    isa::Convolution form{};
    form.input_shape = {2, 64, 30, 30};
    form.output_c = 256;
    form.kernel_h = form.kernel_w = 3;
    form.stride = form.dilation = {1, 1};
    const auto cost = models::bdc_cost(isa::Command::make(isa::Opcode::bdc_conv2d, form),
                                       machine.params.shape(), *machine.params.bdc);
    return cost.execute.value;
}

TEST_CASE("Twice the lanes halve a convolution that fills them") {
    // 256 output channels fill 32, 64 and 128 lanes evenly.
    CHECK(convolution_cycles(32) == 2 * convolution_cycles(64));
    CHECK(convolution_cycles(64) == 2 * convolution_cycles(128));
}

/// A machine on which commands take 1 us of set-up and 100 us of work on either engine; the
/// processor costs nothing.
struct TwoEngines {
    sim::Machine machine;
    sim::trace::Accountant accountant{machine.params};

    explicit TwoEngines(const char* setting = "chip.bank_interference=0.0")
        : machine(sim::load_machine(
              "bm1684", {"mcu.command_cycles=0", "mcu.parallel_start_cycles=0",
                         "mcu.parallel_end_cycles=0", "bdc.clock_mhz=1.0", "bdc.startup_cycles=100",
                         "bdc.copy_cycles=0", "gdma.clock_mhz=1.0", "gdma.setup_cycles=100",
                         "gdma.piece_cycles=0.0", "gdma.local_bytes_per_cycle=1e6", setting})) {}

    /// Runs `pairs` fills on each engine, inside one parallel section or not. The GDMA fills are at
    /// local address `place`.
    double microseconds(int pairs, bool parallel, std::uint32_t place = 0) {
        models::InOrderMachine port(machine.params);
        port.add_observer(accountant);
        firmware::Context context(port);
        context.begin_launch();
        port.begin_launch();
        isa::VectorSet fill{};
        fill.shape = {1, 1, 1, 1};
        isa::GdmaFillLocal move{};
        move.dst_addr = {place};
        move.shape = {1, 1, 1, 1};
        if (parallel) context.parallel_start();
        for (int i = 0; i < pairs; ++i) {
            context.issue(isa::Command::make(isa::Opcode::bdc_32bit_set_C, fill));
            context.issue(isa::Command::make(isa::Opcode::gdma_32bit_set_C_local, move));
        }
        if (parallel) context.parallel_end();
        return port.end_launch().microseconds();
    }
};

TEST_CASE("Independent engines take the longer of their times, dependent ones the sum") {
    TwoEngines engines;
    // BDC fills take 100 us, GDMA fills 100 us of set-up and 1 cycle through the port.
    CHECK(engines.microseconds(10, true) == Approx(10 * 101));
    CHECK(engines.microseconds(10, false) == Approx(10 * 201));
}

TEST_CASE("Engines that share a bank wait for each other, the later command for the earlier one") {
    TwoEngines engines("chip.bank_interference=0.5");
    // BDC 1 runs from 0 to 100. GDMA 1, issued later, from 0: 101 us, 100 of them shared, so it
    // ends at 151. BDC 2 from 100: 100 us, 51 shared with GDMA 1, until 225.5. GDMA 2 from 151: 101
    // us, 74.5 of them shared with BDC 2, until 289.25.
    CHECK(engines.microseconds(2, true) == Approx(289.25));
    const sim::trace::Account& account = engines.accountant.launches().at(0);
    const auto conflict = [&](std::size_t engine) {
        return account.engines[engine][sim::trace::Cause::kBankConflict].microseconds();
    };
    CHECK(conflict(tests::kGdma) == Approx(50 + 37.25));
    CHECK(conflict(tests::kBdc) == Approx(25.5));
    // In the next bank there is no conflict; the last word of the same bank conflicts.
    CHECK(engines.microseconds(2, true, 65536) == Approx(202));
    CHECK(engines.microseconds(2, true, 65536 - 4) == Approx(289.25));
    // Dependent commands never overlap.
    CHECK(engines.microseconds(2, false) == Approx(402));
}

TEST_CASE("Operands in one bank cost the compute engine time of its own cause") {
    TwoEngines engines("bdc.bank_conflict_cycles=3.0");
    models::InOrderMachine port(engines.machine.params);
    port.add_observer(engines.accountant);
    firmware::Context context(port);
    context.begin_launch();
    port.begin_launch();
    isa::VectorConstant add{};
    add.shape = {1, 1, 1, 17};
    add.dst_stride = add.src_stride = {32, 32, 32, 1};
    context.issue(isa::Command::make(isa::Opcode::bdc_add_C, add));
    add.src_addr = {65536};
    context.issue(isa::Command::make(isa::Opcode::bdc_add_C, add));
    // 100 us and two vectors of one cycle each; the first command's operands conflict twice for 3
    // cycles.
    CHECK(port.end_launch().microseconds() == Approx(102 + 6 + 102));
    const auto& bdc = engines.accountant.launches().at(0).engines[tests::kBdc];
    CHECK(bdc[sim::trace::Cause::kBankConflict].microseconds() == Approx(6));
}

TEST_CASE("Twice the work does not take less time, on any channels and banks") {
    for (const char* channels : {"dram.channels=1", "dram.channels=2", "dram.channels=3"}) {
        const sim::Machine machine = sim::load_machine(
            "bm1684", {channels, "chip.bank_interference=0.5", "bdc.bank_conflict_cycles=1.0"});
        for (std::int32_t rows = 1; rows <= 256; rows *= 2) {
            for (const std::int32_t pitch : {64, 100, 1024, 1040, 2048, 4096, 6000}) {
                const auto time = [&](std::int32_t lines) {
                    models::InOrderMachine port(machine.params);
                    firmware::Context context(port);
                    context.begin_launch();
                    port.begin_launch();
                    isa::GdmaCopyToLocal load{};
                    load.src_addr = isa::SystemAddr::from(port.machine().global_start);
                    load.shape = {1, 1, lines, 60};
                    load.dst_stride = {60 * lines, 60 * lines, 60, 1};
                    load.src_stride = {pitch * lines, pitch * lines, pitch, 1};
                    context.issue(isa::Command::make(isa::Opcode::gdma_32bit_cpy_S2L, load));
                    return port.end_launch().value;
                };
                INFO(channels << " rows " << rows << " pitch " << pitch);
                CHECK(time(2 * rows) >= time(rows));
            }
        }
    }
}

TEST_CASE("Banks that do not conflict are never slower") {
    for (unsigned seed = 1; seed <= 4; ++seed) {
        const std::string processor = "mcu.command_cycles=20";
        CHECK(random_program_time({processor}, seed) <=
              random_program_time({processor, "chip.bank_interference=0.5"}, seed));
        CHECK(random_program_time({processor}, seed) <=
              random_program_time({processor, "bdc.bank_conflict_cycles=2.0"}, seed));
    }
}

}  // namespace
