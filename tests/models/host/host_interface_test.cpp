// SPDX-License-Identifier: Apache-2.0
// The register block and the chip's memories as a host sees them. The machine's launch takes 5 us,
// its sync 3 us; programs compute for a given number of cycles of 1 us.
#include "models/host/host_interface.h"

#include <optional>

#include "models/chip/chip.h"
#include "models/chip/chip_params.h"
#include "models/common/npu_module.h"
#include "sim/machine/machine.h"
#include "sim/platform/systemc_context.h"
#include "tests/support/catch.h"
#include "tests/support/script_host.h"

namespace {

using namespace okksim;
using models::HostStatus;
using tests::ScriptHost;
namespace registers = models::host_registers;

constexpr std::uint64_t kRegisters = 0xF0000000;

models::MachineParams params() {
    return sim::load_machine("bm1684",
                             {"mcu.clock_mhz=1.0", "mcu.query_cycles=1",
                              "host.launch_nanoseconds=5000.0", "host.sync_nanoseconds=3000.0"})
        .params;
}

/// A chip whose program 1 calls the processor `calls` times, and a host that runs `script`.
struct Bench {
    Bench(int calls, std::function<void(ScriptHost&, models::Chip&)> script)
        : scope(context), chip("chip", params(), {}) {
        chip.host.add_program([=, this](isa::CommandPort& port, std::span<const std::byte> bytes) {
            arguments.assign(bytes.begin(), bytes.end());
            for (int i = 0; i < calls; ++i) port.charge(isa::FirmwareCall::kQuery);
            return fault;
        });
        host.emplace("host", kRegisters, [this, script](ScriptHost& self) { script(self, chip); });
        host->out.bind(chip.host.in);
        sc_core::sc_start();
    }

    sim::SystemCContext context;
    sim::SystemCContext::Scope scope;
    models::Chip chip;
    std::optional<FaultRecord> fault;
    std::vector<std::byte> arguments;
    std::optional<ScriptHost> host;
};

}  // namespace

TEST_CASE("a doorbell starts a program, and the status says when it has ended") {
    std::vector<HostStatus> seen;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    const Bench bench(10, [&](ScriptHost& host, models::Chip&) {
        CHECK(host.get(registers::kIdentity) == registers::kIdentityValue);
        seen.push_back(host.status());
        host.set(registers::kProgram, 1);
        CHECK(host.set(registers::kDoorbell, 1) == tlm::TLM_OK_RESPONSE);
        // The program runs from 5 us to 15 us; the host is notified at 18 us.
        for (const int us : {17, 1}) {
            seen.push_back(host.status());
            wait(us, sc_core::SC_US);
        }
        seen.push_back(host.status());
        const auto times = host.read(kRegisters + registers::kStartLow, 4);
        start = times[0];
        end = times[2];
    });
    CHECK(seen ==
          std::vector{HostStatus::kIdle, HostStatus::kBusy, HostStatus::kBusy, HostStatus::kDone});
    CHECK(start == 5'000'000);
    CHECK(end == 15'000'000);
}

TEST_CASE("the argument block is copied from memory when the doorbell rings") {
    const std::uint64_t address = params().shape().global_start + 0x1000;
    const Bench bench(1, [&](ScriptHost& host, models::Chip&) {
        CHECK(host.write(address, {0x04030201, 0x08070605}) == tlm::TLM_OK_RESPONSE);
        host.write(
            kRegisters + registers::kArgumentLow,
            {static_cast<std::uint32_t>(address), static_cast<std::uint32_t>(address >> 32), 6});
        CHECK(host.run_program(1) == HostStatus::kDone);
    });
    REQUIRE(bench.arguments.size() == 6);
    CHECK(bench.arguments[5] == std::byte{6});
}

TEST_CASE("the program begins at the host's own time") {
    std::uint32_t start = 0;
    const Bench bench(1, [&](ScriptHost& host, models::Chip&) {
        host.delay = sc_core::sc_time(2, sc_core::SC_US);
        host.run_program(1);
        start = host.get(registers::kStartLow);
    });
    CHECK(start == 7'000'000);
}

TEST_CASE("faults of programs and unknown programs show in status and fault register") {
    const Bench bench(1, [&](ScriptHost& host, models::Chip& chip) {
        CHECK(host.run_program(2) == HostStatus::kFault);
        CHECK(host.get(registers::kFault) ==
              1 + static_cast<std::uint32_t>(FaultCode::kUnknownKernel));
        CHECK_THAT(chip.host.fault()->message(),
                   Catch::Contains("PROGRAM") && Catch::Contains("2"));
        CHECK(host.run_program(1) == HostStatus::kDone);
        CHECK(host.get(registers::kFault) == 0);
    });
}

TEST_CASE("every refusal of the register block has its response") {
    const Bench bench(10, [&](ScriptHost& host, models::Chip&) {
        CHECK(host.set(registers::kStatus, 1) == tlm::TLM_COMMAND_ERROR_RESPONSE);
        std::vector<std::uint8_t> bytes(2);
        CHECK(host.move(tlm::TLM_READ_COMMAND, kRegisters + registers::kStatus, bytes) ==
              tlm::TLM_BURST_ERROR_RESPONSE);
        bytes.resize(4);
        CHECK(host.move(tlm::TLM_READ_COMMAND, kRegisters + 2, bytes) ==
              tlm::TLM_BURST_ERROR_RESPONSE);
        bytes.resize(8);
        CHECK(host.move(tlm::TLM_READ_COMMAND, kRegisters + registers::kEndHigh, bytes) ==
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
        CHECK(host.move(tlm::TLM_READ_COMMAND, kRegisters + registers::kBytes, bytes) ==
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
        // An argument block outside all memories, one that is too long, and a second doorbell.
        host.set(registers::kArgumentBytes, 4);
        CHECK(host.set(registers::kDoorbell, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
        CHECK(host.set(registers::kArgumentBytes, 0xFFFFFFFF) == tlm::TLM_BURST_ERROR_RESPONSE);
        host.set(registers::kArgumentBytes, 0);
        host.set(registers::kProgram, 1);
        CHECK(host.set(registers::kDoorbell, 1) == tlm::TLM_OK_RESPONSE);
        CHECK(host.set(registers::kDoorbell, 1) == tlm::TLM_GENERIC_ERROR_RESPONSE);
    });
}

TEST_CASE("the host reads and writes every memory of the chip, and looks on without time") {
    const models::MachineParams machine = params();
    const isa::MachineShape shape = machine.shape();
    const Bench bench(1, [&](ScriptHost& host, models::Chip& chip) {
        for (const std::uint64_t address :
             {shape.global_start + 64, shape.l2_start, shape.dtcm_start,
              static_cast<std::uint64_t>(machine.chip->local_memory_start)}) {
            CHECK(host.write(address, {0xABCD}) == tlm::TLM_OK_RESPONSE);
            CHECK(host.read(address, 1)[0] == 0xABCD);
            std::uint32_t seen = 0;
            chip.read_memory(address, std::as_writable_bytes(std::span(&seen, 1)));
            CHECK(seen == 0xABCD);
        }
        CHECK(host.delay > sc_core::SC_ZERO_TIME);
        CHECK(sc_core::sc_time_stamp() == sc_core::SC_ZERO_TIME);
    });
}

TEST_CASE("a register block that covers a memory is refused") {
    sim::SystemCContext context;
    const sim::SystemCContext::Scope scope(context);
    const std::uint64_t l2 = params().shape().l2_start;
    CHECK_THROWS_WITH(models::Chip("chip", params(), {.host_registers = l2 - 8}),
                      Catch::Contains("register block") && Catch::Contains("0x"));
}
