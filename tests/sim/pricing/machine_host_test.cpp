// SPDX-License-Identifier: Apache-2.0
#include "sim/pricing/machine_host.h"

#include "firmware/okk.h"
#include "kernels/call/computing.h"
#include "sim/machine/machine.h"
#include "sim/pricing/plan_call.h"
#include "tests/support/catch.h"

namespace okksim::sim::pricing {
namespace {

using kernels::DeviceTensor;
using kernels::Duration;

struct Fixture {
    models::MachineParams params = load_machine("bm1684").params;
    KnownMemory known;
    MachineHost host{params, {}, known};
    std::uint64_t memory = params.shape().global_start;

    void add(int rows) const {
        const dim4 shape{1, okk_npu_num(), rows, 32};
        okk_bdc_add(0, 1 << 16, 2 << 16, &shape, nullptr, nullptr, nullptr);
    }
    void load(int rows) const {
        const dim4 shape{1, okk_npu_num(), rows, 32};
        okk_gdma_32bit_cpy_S2L(0, memory, &shape, nullptr, nullptr);
    }
};

DeviceTensor element(std::uint64_t address, std::int32_t count) {
    DeviceTensor tensor;
    tensor.address = address;
    tensor.type = tosa::DType::kI8;
    tensor.rank = 1;
    tensor.dims = {count};
    tensor.strides = {1};
    return tensor;
}

TEST_CASE("work adds up what commands cost alone") {
    Fixture f;
    const kernels::Work one = f.host.work([&] { f.add(4); });
    // 4 x 32 words on 16 units: 8 steps of tensor_cycles = 2, after 117 cycles, at 550 MHz.
    CHECK(one.of(isa::Engine::kBdc) == Duration(241818));
    CHECK(one.of(isa::Engine::kGdma) == Duration(0));
    // The command, the query for the lanes and the loop around both, at 500 MHz.
    const auto loop = static_cast<std::int64_t>(kernels::instructions(kernels::OwnWork::kCommand));
    CHECK(one.processor == Duration(2000 * (1765 + 10 + loop)));
    const kernels::Work both = f.host.work([&] {
        f.add(4);
        f.load(4);
        f.add(4);
    });
    CHECK(both.of(isa::Engine::kBdc) == 2 * one.of(isa::Engine::kBdc));
    CHECK(both.of(isa::Engine::kGdma) == f.host.work([&] { f.load(4); }).of(isa::Engine::kGdma));
    CHECK(both.processor == 3 * one.processor);
}

TEST_CASE("one command takes the processor's and its engine's time") {
    Fixture f;
    for (const auto& firmware :
         {kernels::Firmware([&] { f.add(50); }), kernels::Firmware([&] { f.load(50); })}) {
        const kernels::Work work = f.host.work(firmware);
        CHECK(f.host.time(firmware) ==
              work.processor + work.of(isa::Engine::kBdc) + work.of(isa::Engine::kGdma));
    }
}

TEST_CASE("a simulation ends at its limit") {
    Fixture f;
    const auto firmware = [&] {
        for (int i = 0; i < 1000; ++i) f.add(1);
    };
    const Duration time = f.host.time(firmware);
    CHECK(f.host.time_within(time, firmware) == time);
    CHECK_FALSE(f.host.time_within(time - Duration(1), firmware));
    CHECK_FALSE(f.host.time_within(time / 50, firmware));
    CHECK(f.host.time(firmware) == time);  // no work remains
}

TEST_CASE("only constants have values") {
    Fixture f;
    const std::vector<std::int8_t> bytes{-3, 5};
    f.known.add(f.memory, std::as_bytes(std::span(bytes)));
    DeviceTensor tensor = element(f.memory, 2);
    CHECK_FALSE(f.host.values(tensor));  // not a constant, whatever bytes are there
    tensor.constant = true;
    CHECK(f.host.values(tensor) == std::vector<std::int64_t>{-3, 5});
    tensor.dims = {3};
    CHECK_FALSE(f.host.values(tensor));
    tensor.address += 1;
    tensor.dims = {1};
    CHECK(f.host.values(tensor) == std::vector<std::int64_t>{5});
}

/// Takes a decision, reads its operand and takes another decision.
void reading_kernel(const kernels::OperatorCall& call) {
    call.decisions->take("first", [](kernels::Host&) { return 1; });
    std::int64_t value = 0;
    kernels::read_values(call.inputs[0], {&value, 1});
    call.decisions->take("second", [](kernels::Host&) { return 2; });
}

TEST_CASE("planning ends where a kernel reads a value of the run") {
    Fixture f;
    const std::vector<std::int8_t> bytes{7};
    f.known.add(f.memory, std::as_bytes(std::span(bytes)));
    DeviceTensor tensor = element(f.memory, 1);
    tensor.constant = true;
    kernels::OperatorCall call;
    call.inputs = {&tensor, 1};
    const PlannedCall known = plan_call(reading_kernel, call, f.host);
    CHECK(known.is_complete);
    CHECK(known.decisions.size() == 2);
    tensor.address += 4096;
    tensor.constant = false;
    const PlannedCall unknown = plan_call(reading_kernel, call, f.host);
    CHECK_FALSE(unknown.is_complete);
    CHECK(unknown.decisions.size() == 1);
}

}  // namespace
}  // namespace okksim::sim::pricing
