// SPDX-License-Identifier: Apache-2.0
// What must hold of the machine's times whatever its numbers are.
#include <algorithm>

#include "models/bdc/bdc_timing.h"
#include "models/chip/in_order_machine.h"
#include "sim/machine/machine.h"
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
                                          "dram.run_switch_nanoseconds=5.0",
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
        // As it is, where the processor is what limits, and with a fast processor.
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

/// A convolution of a 64-channel map to 256 channels, laid out for a number of lanes.
std::int64_t convolution_cycles(std::int32_t lanes) {
    sim::Machine machine = sim::load_machine("bm1684", {"chip.lanes=" + std::to_string(lanes)});
    isa::Convolution form{};
    form.input_shape = {2, 64, 30, 30};
    form.output_c = 256;
    form.kernel_h = form.kernel_w = 3;
    form.stride = form.dilation = {1, 1};
    const auto cost = models::bdc_cost(isa::Command::make(isa::Opcode::bdc_conv2d, form),
                                       machine.params.shape(), machine.params.bdc);
    return cost.execute.value;
}

TEST_CASE("Twice the lanes halve a convolution that fills them") {
    // 256 output channels fill 32, 64 and 128 lanes evenly.
    CHECK(convolution_cycles(32) == 2 * convolution_cycles(64));
    CHECK(convolution_cycles(64) == 2 * convolution_cycles(128));
}

/// Commands of 1 us set-up and 100 us work on either engine; the processor costs nothing.
struct TwoEngines {
    sim::Machine machine = sim::load_machine(
        "bm1684",
        {"mcu.command_cycles=0", "mcu.parallel_start_cycles=0", "mcu.parallel_end_cycles=0",
         "bdc.clock_mhz=1.0", "bdc.startup_cycles=100", "bdc.copy_cycles=0", "gdma.clock_mhz=1.0",
         "gdma.setup_cycles=100", "gdma.piece_cycles=0.0", "gdma.local_bytes_per_cycle=1e6"});

    /// `pairs` fills on each engine, inside one parallel section or not.
    double microseconds(int pairs, bool parallel) const {
        models::InOrderMachine port(machine.params);
        firmware::Context context(port);
        context.begin_launch();
        port.begin_launch();
        isa::VectorSet fill{};
        fill.shape = {1, 1, 1, 1};
        isa::GdmaFillLocal move{};
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
    const TwoEngines engines;
    // BDC fills take 100 us, GDMA fills 100 us of set-up and 1 cycle through the port.
    CHECK(engines.microseconds(10, true) == Approx(10 * 101));
    CHECK(engines.microseconds(10, false) == Approx(10 * 201));
}

}  // namespace
