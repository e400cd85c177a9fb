// SPDX-License-Identifier: Apache-2.0
#include "models/mcu/mcu_timing.h"

#include "models/mcu/mcu_params.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::models;

/// Global memory from 0x10000, L2-SRAM from 0x4000, DTCM from 0x1000 to 0x1FFF.
isa::MachineShape shape() {
    isa::MachineShape machine;
    machine.global_start = 0x10000;
    machine.global_bytes = 0x10000;
    machine.l2_start = 0x4000;
    machine.l2_bytes = 0x1000;
    machine.dtcm_start = 0x1000;
    machine.dtcm_bytes = 0x1000;
    return machine;
}

std::optional<MemoryRequest> load(std::uint64_t address, std::uint64_t bytes,
                                  std::int64_t line_bytes = 32) {
    McuParams params;
    params.line_bytes = line_bytes;
    return processor_request({isa::SystemAddr::from(address), bytes, isa::AccessKind::kLoad},
                             shape(), params);
}

}  // namespace

TEST_CASE("the processor asks for the whole lines that hold its bytes") {
    CHECK(load(0x10000, 1) == MemoryRequest{1, 32, 32, 0x10000});
    CHECK(load(0x1001F, 1) == MemoryRequest{1, 32, 32, 0x10000});
    CHECK(load(0x10020, 1) == MemoryRequest{1, 32, 32, 0x10020});
    // The last byte of a line, and the first of the next one.
    CHECK(load(0x10010, 16) == MemoryRequest{1, 32, 32, 0x10000});
    CHECK(load(0x10010, 17) == MemoryRequest{2, 32, 32, 0x10000});
    CHECK(load(0x4000, 4096) == MemoryRequest{128, 32, 32, 0x4000});
    CHECK(load(0x10000, 1)->bytes() == 32);
}

TEST_CASE("a line that begins before its memory is asked for from the first byte on") {
    // 0x4000 is 496 lines of 33 bytes and 16 more.
    CHECK(load(0x4000, 1, 33) == MemoryRequest{1, 33, 33, 0x4000});
    CHECK(load(0x4000 + 17, 1, 33) == MemoryRequest{1, 33, 33, 497 * 33});
}

TEST_CASE("the processor's own memory is asked for nothing") {
    CHECK(load(0xFFF, 1));
    CHECK_FALSE(load(0x1000, 1));
    CHECK_FALSE(load(0x1FFF, 1));
    CHECK(load(0x2000, 1));
}

TEST_CASE("the processor waits for the latency of every line") {
    const MemoryReply reply{{1000}, {70}};
    CHECK(processor_resumes({1, 32, 32, 0}, reply).value == 1070);
    CHECK(processor_resumes({3, 32, 32, 0}, reply).value == 1000 + 3 * 70);
}

TEST_CASE("computing costs the cycles of its kind, rounded up") {
    McuParams params;
    params.integer_operation_cycles = 1.25;
    params.soft_float_operation_cycles = 60;
    const auto cycles = [&](isa::ComputeKind kind, std::uint64_t operations) {
        return compute_cycles({"work", kind, operations}, params).value;
    };
    CHECK(cycles(isa::ComputeKind::kInteger, 0) == 0);
    CHECK(cycles(isa::ComputeKind::kInteger, 4) == 5);
    CHECK(cycles(isa::ComputeKind::kInteger, 5) == 7);  // 6.25
    CHECK(cycles(isa::ComputeKind::kSoftFloat, 3) == 180);
}
