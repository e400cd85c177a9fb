// SPDX-License-Identifier: Apache-2.0
// Rooflines of accounts with round numbers, and properties of any command.
#include "sim/trace/roofline.h"

#include "models/bdc/bdc_params.h"
#include "models/bdc/bdc_timing.h"
#include "models/bdc/bdc_work.h"
#include "tests/sim/trace/reference_engines.h"
#include "tests/sim/trace/traced_run.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim::trace;

constexpr std::int64_t kMicrosecond = 1'000'000;  // picoseconds

/// 2 lanes x 16 units x 2 operations x 2 channels x 100 MHz give 12.8 Gop/s of convolution. A
/// vector addition takes two cycles: 1.6 Gop/s. DRAM reads 20 GB/s and writes 10 GB/s.
sim::Machine round_machine() {
    return sim::load_machine(
        "bm1684",
        {"chip.lanes=2", "bdc.clock_mhz=100.0", "bdc.execution_units=16", "bdc.tensor_cycles=2",
         "bdc.convolution_channels_per_cycle=2", "bdc.startup_cycles=100", "gdma.clock_mhz=100.0",
         "gdma.setup_cycles=50", "mcu.clock_mhz=100.0", "mcu.command_cycles=200",
         "dram.read_bytes_per_nanosecond=20.0", "dram.write_bytes_per_nanosecond=10.0"});
}

constexpr auto kConvolution = static_cast<std::size_t>(isa::TimingClass::kConvolution);
constexpr auto kArithmetic = static_cast<std::size_t>(isa::TimingClass::kArithmetic);

/// An account of 20 us. The BDC is busy for 12 us with 4 commands (128000 operations of
/// convolution, 1000 of addition) and waits 8 us for the GDMA. 40000 bytes are read and 10000
/// written.
Account sample() {
    Account account(tests::reference_engines());
    account.span = {20 * kMicrosecond};
    EngineAccount& bdc = account.engines[tests::kBdc];
    bdc.commands = 4;
    bdc.busy.add(kArithmetic, {9 * kMicrosecond}, 1000);
    bdc.busy.add(kConvolution, {3 * kMicrosecond}, 128000);
    bdc[Cause::kBusy] = {12 * kMicrosecond};
    bdc[Cause::kOtherEngine] = {8 * kMicrosecond};
    account.dram = {40000, 10000};
    return account;
}

}  // namespace

TEST_CASE("The floor of a network is what its operations or its own bytes take") {
    const sim::Machine machine = round_machine();
    // 64000 operations at 12.8 Gop/s: 5 us. 100000 bytes at 20 GB/s and 20000 at 10: 5 + 2 us.
    const NetworkFloor memory =
        network_floor(roofline(sample(), 64000, machine.params), {100000, 20000}, machine.params);
    CHECK(memory.compute_us == Approx(5));
    CHECK(memory.memory_us == Approx(7));
    CHECK(memory.us() == Approx(7));
    CHECK(network_floor(roofline(sample(), 64000, machine.params), {}, machine.params).us() ==
          Approx(5));
    // In 20 us the BDC waits 8 us for the GDMA; start-ups take 4 us.
    CHECK(lost_times_text(sample(), machine.params, 3) == "waits for GDMA 40%, start-up 20%");
    CHECK(lost_time_text(sample(), machine.params) == "waits for GDMA 40%");
}

TEST_CASE("The roof is the lower of peak compute and bandwidth times intensity") {
    // Memory: 40000 / 20 + 10000 / 10 ns = 3 us. Compute: 64000 useful operations at 12.8 Gop/s =
    // 5 us. Start-ups: 4 x 1 us.
    const Roofline compute = roofline(sample(), 64000, round_machine().params);
    CHECK(compute.memory_us == Approx(3));
    CHECK(compute.compute_us == Approx(5));
    CHECK(compute.issue_us == Approx(4));
    CHECK(compute.bound() == Bound::kCompute);
    CHECK(*compute.intensity() == Approx(64000.0 / 50000));
    CHECK(compute.achieved_per_second() == Approx(64000 / 20e-6));
    CHECK(*compute.roof_per_second() == Approx(12.8e9));
    CHECK(compute.percent() == Approx(25));  // 5 of 20 us

    // With 12800 operations, compute takes 1 us: start-ups take longer than the roof of 3 us.
    const Roofline issue = roofline(sample(), 12800, round_machine().params);
    CHECK(issue.bound() == Bound::kIssue);
    // 50000 bytes take 3 us: 12800 operations in 3 us.
    CHECK(*issue.roof_per_second() == Approx(12800 / 3e-6));

    // Writing three commands takes 3 x 2 us.
    Account written = sample();
    written.engines[tests::kMcu].commands = 3;
    CHECK(roofline(written, 64000, round_machine().params).bound() == Bound::kIssue);

    Account few = sample();
    few.engines[tests::kBdc].commands = 1;
    CHECK(roofline(few, 12800, round_machine().params).bound() == Bound::kMemory);
}

TEST_CASE("Work that only moves data is measured against the bandwidth") {
    const Roofline moved = roofline(sample(), 0, round_machine().params);
    CHECK_FALSE(moved.roof_per_second());
    CHECK(moved.percent() == Approx(15));  // 3 of 20 us
    CHECK(roofline(Account{}, 0, round_machine().params).bound() == Bound::kNone);
}

TEST_CASE("Rooflines of parts add up") {
    Roofline sum = roofline(sample(), 64000, round_machine().params);  // roof 5 us of 20
    sum.add(roofline(sample(), 0, round_machine().params));            // roof 3 us of 20
    CHECK(sum.percent() == Approx(100 * 8.0 / 40));
    CHECK(*sum.roof_per_second() == Approx(64000 / 8e-6));
}

TEST_CASE("The largest loss of the engine that works most is told in words") {
    // Waiting for the GDMA takes 8 us, start-ups 4.
    CHECK(lost_time_text(sample(), round_machine().params) == "waits for GDMA 40%");
    Account more = sample();
    more.engines[tests::kBdc].commands = 9;
    CHECK(lost_time_text(more, round_machine().params) == "start-up 45%");
    Account memory = sample();
    memory.engines[tests::kGdma][Cause::kMemoryBandwidth] = {13 * kMicrosecond};
    CHECK(lost_time_text(memory, round_machine().params) == "DRAM bandwidth 65%");
    CHECK(lost_time_text(Account{}, round_machine().params) == "-");
}

TEST_CASE("A loss below half a percent is no loss") {
    Account account(tests::reference_engines());
    account.span = {20 * kMicrosecond};
    EngineAccount& bdc = account.engines[tests::kBdc];
    bdc[Cause::kBusy] = {19 * kMicrosecond};
    bdc[Cause::kQueue] = {kMicrosecond / 20};  // 0.25 %
    CHECK(lost_time_text(account, round_machine().params) == "-");
    bdc[Cause::kQueue] = {kMicrosecond / 5};
    CHECK(lost_time_text(account, round_machine().params) == "waits for MCU 1%");
}

namespace {

/// Checks every BDC command against the peak of its class.
class PeakCheck : public models::CommandObserver {
 public:
    explicit PeakCheck(const models::MachineParams& params)
        : params_(params), shape_(params.shape()) {}

    void retired(const isa::Command& command, const models::CommandTimes&) override {
        if (command.info().engine != isa::Engine::kBdc) return;
        const auto operations = static_cast<double>(models::bdc_operations(command));
        const auto cycles =
            static_cast<double>(models::bdc_cost(command, shape_, *params_.bdc).execute.value);
        const double peak =
            models::bdc_peak_operations_per_second(command.info().timing, shape_, *params_.bdc);
        INFO(command.info().name);
        REQUIRE(operations > 0);
        REQUIRE(operations <= peak * cycles / (params_.bdc->clock_mhz * 1e6) * (1 + 1e-9));
        ++checked;
    }

    int checked = 0;

 private:
    models::MachineParams params_;
    isa::MachineShape shape_;
};

}  // namespace

TEST_CASE("No command computes faster than the peak of its class") {
    const sim::Machine machine = sim::load_machine("bm1684");
    PeakCheck check(machine.params);
    for (unsigned seed = 1; seed <= 300; ++seed) {
        models::InOrderMachine port(machine.params);
        port.add_observer(check);
        port.begin_launch();
        tests::random_program(port, seed, 20);
        port.end_launch();
    }
    CHECK(check.checked > 2000);
}

TEST_CASE("Operations of a command are those of its operands") {
    const auto command = [](isa::Opcode opcode, const auto& op) {
        return isa::Command::make(opcode, op);
    };
    // 4 x 6 matrix times 6 x 10: 240 multiply-accumulates.
    isa::MatrixMultiply product{};
    product.left_rows = 4;
    product.left_cols = 6;
    product.right_cols = 10;
    CHECK(models::bdc_operations(command(isa::Opcode::bdc_matmul, product)) == 480);
    // 3 x 3 taps of 8 channels for 5 channels of 4 x 4 pixels (6 x 6 without padding).
    isa::Convolution convolution{};
    convolution.input_shape = {1, 8, 6, 6};
    convolution.output_c = 5;
    convolution.kernel_h = convolution.kernel_w = 3;
    convolution.stride = convolution.dilation = {1, 1};
    CHECK(models::bdc_operations(command(isa::Opcode::bdc_conv2d, convolution)) ==
          2 * 3 * 3 * 8 * 5 * 4 * 4);
    isa::VectorBinary add{};
    add.shape = {1, 2, 3, 4};
    CHECK(models::bdc_operations(command(isa::Opcode::bdc_add, add)) == 24);
    CHECK(models::bdc_operations(command(isa::Opcode::bdc_mac, add)) == 48);
}
