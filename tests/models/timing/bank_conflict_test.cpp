// SPDX-License-Identifier: Apache-2.0
// Banks of local memory: the banks that a command touches, and the cost of a conflict.
#include "isa/layout.h"
#include "models/bdc/bdc_params.h"
#include "models/bdc/bdc_timing.h"
#include "models/memory/banks.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace {

using namespace okksim;

constexpr std::int64_t kLocalBytes = 512 * 1024;  // 8 banks of 64 KiB
constexpr std::uint32_t kBank = 64 * 1024;

isa::MachineShape machine() { return tests::small_machine(64, kLocalBytes); }

/// 64 channels of 16 x 64 words: 64 vectors of 16 in each lane, 4 KiB.
isa::VectorBinary binary(std::uint32_t dst, std::uint32_t src0, std::uint32_t src1) {
    isa::VectorBinary form;
    form.dst_addr = {dst};
    form.src0_addr = {src0};
    form.src1_addr = {src1};
    form.shape = {1, 64, 16, 64};
    form.dst_stride = form.src0_stride = form.src1_stride =
        isa::aligned_stride(0, form.shape, 32, 64, 128);
    return form;
}

models::BdcParams laws() {
    models::BdcParams params;
    params.clock_mhz = 1000;
    params.execution_units = 16;
    params.startup_cycles = 7;
    params.tensor_cycles = 2;
    params.bank_conflict_cycles = 0.5;
    return params;
}

std::int64_t conflict(const isa::VectorBinary& form) {
    return models::bdc_cost(isa::Command::make(isa::Opcode::bdc_add, form), machine(), laws())
        .bank_conflict.value;
}

models::BankSet banks(std::uint32_t dst) {
    isa::VectorSet form{};
    form.dst_addr = {dst};
    form.shape = {1, 1, 1, 1024};
    form.dst_stride = {1024, 1024, 1024, 1};
    return models::touched_banks(isa::Command::make(isa::Opcode::bdc_32bit_set_C, form), machine());
}

}  // namespace

TEST_CASE("a bank holds an eighth of the lane's memory") {
    CHECK(banks(0) == 0b1);
    CHECK(banks(kBank - 4096) == 0b1);       // its last byte is the bank's last
    CHECK(banks(kBank - 4096 + 4) == 0b11);  // one word beyond it
    CHECK(banks(kBank) == 0b10);
    CHECK(banks(8 * kBank - 4096) == 0b10000000);
    // Another lane has separate banks at the same offsets.
    CHECK(banks(static_cast<std::uint32_t>(kLocalBytes) + kBank) == 0b10);
}

TEST_CASE("every pair of operands in one bank costs the vectors of the smaller one") {
    CHECK(conflict(binary(0, kBank, 2 * kBank)) == 0);
    // One pair: 64 vectors at half a cycle.
    CHECK(conflict(binary(0, kBank, kBank + 8192)) == 32);
    CHECK(conflict(binary(0, 0, kBank)) == 32);
    // Three pairs.
    CHECK(conflict(binary(0, 4096, 8192)) == 96);
    // src0 is in two banks, one of them shared: half of the cost.
    CHECK(conflict(binary(0, kBank - 2048, 4 * kBank)) == 16);
    // One word less, and it touches only the bank that is not shared.
    CHECK(conflict(binary(0, kBank, 4 * kBank)) == 0);
}

TEST_CASE("convolutions are slower when their weights share a bank") {
    models::BdcParams params = laws();
    params.bank_conflict_cycles = 0;
    params.convolution_channels_per_cycle = 2;
    params.convolution_bank_share = 0.25;
    isa::Convolution form{};
    form.input_shape = {1, 64, 4, 4};
    form.input_stride = isa::aligned_stride(0, form.input_shape, 32, 64, 128);
    form.output_c = 64;
    form.kernel_h = form.kernel_w = 1;
    form.kernel_stride = {1, 1, 1, 1};
    form.stride = form.dilation = {1, 1};
    const auto lost = [&](std::uint32_t input, std::uint32_t weights) {
        form.input_addr = {input};
        form.output_addr = {4 * kBank};
        form.weight_addr = {weights};
        return models::bdc_cost(isa::Command::make(isa::Opcode::bdc_conv2d, form), machine(),
                                params)
            .bank_conflict.value;
    };
    // One group of pixels, 32 passes: a quarter of 32 cycles.
    CHECK(lost(0, kBank) == 0);
    CHECK(lost(kBank, 0) == 0);
    CHECK(lost(0, 4096) == 8);
    CHECK(lost(0, 4 * kBank + 4096) == 8);
}

TEST_CASE("bank conflicts are a cause of their own") {
    const models::BdcCost cost = models::bdc_cost(
        isa::Command::make(isa::Opcode::bdc_add, binary(0, 0, kBank)), machine(), laws());
    const models::CommandCost time = models::bdc_time(cost, models::Clock(1000));
    CHECK(time.work.value == (7 + 64 * 2) * 1000);
    CHECK(time.bank_conflict.value == 32 * 1000);
    CHECK(time.total().value == 167 * 1000);
}

TEST_CASE("engines share a bank for as long as both work on it") {
    const models::BankUse a{0b0110, {100}, {200}};
    CHECK(models::shared_bank_time(a, {0b0010, {150}, {300}}).value == 50);
    CHECK(models::shared_bank_time(a, {0b0010, {120}, {130}}).value == 10);
    CHECK(models::shared_bank_time(a, {0b1001, {120}, {130}}).value == 0);
    CHECK(models::shared_bank_time(a, {0b0010, {199}, {300}}).value == 1);
    CHECK(models::shared_bank_time(a, {0b0010, {200}, {300}}).value == 0);
    CHECK(models::bank_stall({50}, 0.5).value == 25);
}
