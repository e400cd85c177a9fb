// SPDX-License-Identifier: Apache-2.0
// The system memory as a generic TLM-2.0 target: data, time, refusals, direct and debug access.
#include "models/dram/memory_target.h"

#include "models/common/npu_module.h"
#include "models/dram/dram_params.h"
#include "models/dram/transfer_extension.h"
#include "models/memory/local_memory.h"
#include "sim/platform/systemc_context.h"
#include "tests/support/catch.h"
#include "tests/support/tlm_initiator.h"

namespace {

using namespace okksim;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t kStart = 0x10000;
constexpr std::uint64_t kSize = 4096;

isa::MachineShape shape() {
    isa::MachineShape shape;
    shape.global_start = kStart;
    shape.global_bytes = kSize;
    shape.l2_start = 0x20000;
    shape.l2_bytes = kSize;
    shape.dtcm_start = 0x30000;
    shape.dtcm_bytes = kSize;
    return shape;
}

/// Reads 1 byte per ns after 100 ns, writes 2 bytes per ns and acknowledges after 50 ns.
models::MemoryPort round_port() {
    return models::MemoryPort(models::BandwidthParams{.read_bytes_per_nanosecond = 1,
                                                      .write_bytes_per_nanosecond = 2,
                                                      .read_latency_nanoseconds = 100,
                                                      .write_latency_nanoseconds = 50,
                                                      .burst_bytes = 32});
}

struct Bench {
    Bench() : scope(context), system(shape()) {
        target.emplace("target", round_port(), shape().global(), system);
        initiator.emplace("initiator");
        initiator->out.bind(target->in);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    std::int64_t delay_ns() const { return models::from_sc_time(initiator->delay).value / 1000; }

    sim::SystemCContext context;
    sim::SystemCContext::Scope scope;
    models::SystemMemory system;
    std::optional<models::MemoryTarget> target;
    std::optional<tests::TlmInitiator> initiator;
};

}  // namespace

TEST_CASE("an ordinary transaction moves bytes and takes the time of the law") {
    Bench bench;
    tests::TlmInitiator& initiator = *bench.initiator;
    CHECK(initiator.write(kStart + 8, Bytes(64, 7)) == tlm::TLM_OK_RESPONSE);
    CHECK(bench.delay_ns() == 64 / 2 + 50);
    CHECK(initiator.payload.is_dmi_allowed());
    Bytes seen(72);
    CHECK(initiator.read(kStart, seen) == tlm::TLM_OK_RESPONSE);
    CHECK(seen[7] == 0xCD);  // uninitialised
    CHECK(seen[8] == 7);
    CHECK(seen[71] == 7);
    // It starts when the first request's delay ends; the channel has long been free by then.
    CHECK(bench.delay_ns() == 82 + 72 + 100);
}

TEST_CASE("a single byte takes its time") {
    Bench bench;
    Bytes byte(1);
    CHECK(bench.initiator->read(kStart, byte) == tlm::TLM_OK_RESPONSE);
    CHECK(bench.delay_ns() == 1 + 100);
}

TEST_CASE("transactions of the same moment share the memory in order of arrival") {
    Bench bench;
    Bytes bytes(64);
    bench.initiator->read(kStart, bytes);
    bench.initiator->delay = sc_core::SC_ZERO_TIME;
    bench.initiator->read(kStart, bytes);
    CHECK(bench.delay_ns() == 64 + 64 + 100);
}

TEST_CASE("delays count from the moment of the transaction") {
    Bench bench;
    tests::TlmInitiator& initiator = *bench.initiator;
    sc_core::sc_start(30, sc_core::SC_NS);
    Bytes bytes(64);
    initiator.read(kStart, bytes);
    CHECK(bench.delay_ns() == 64 + 100);
    sc_core::sc_start(500, sc_core::SC_NS);
    models::TransferExtension transfer;
    transfer.access.request = {1, 32, 0, kStart};
    initiator.payload.set_command(tlm::TLM_READ_COMMAND);
    const models::LentExtension lent(initiator.payload, transfer);
    initiator.delay = sc_core::SC_ZERO_TIME;
    CHECK(initiator.send() == tlm::TLM_OK_RESPONSE);
    CHECK(bench.delay_ns() == 32 + 100);
    CHECK(transfer.reply.served.value == (530 + 32) * 1000);
}

TEST_CASE("every refusal has its own response, moves nothing and takes no time") {
    Bench bench;
    tests::TlmInitiator& initiator = *bench.initiator;
    Bytes bytes(16, 9);
    Bytes enables(16, 0xFF);
    SECTION("past the end") {
        CHECK(initiator.write(kStart + kSize - 8, bytes) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
    SECTION("a neighbour's bytes") {
        CHECK(initiator.write(0x20000, bytes) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
    SECTION("byte enables") {
        initiator.fill(initiator.payload, tlm::TLM_WRITE_COMMAND, kStart, bytes);
        initiator.payload.set_byte_enable_ptr(enables.data());
        initiator.payload.set_byte_enable_length(16);
        CHECK(initiator.send() == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    }
    SECTION("streaming") {
        initiator.fill(initiator.payload, tlm::TLM_WRITE_COMMAND, kStart, bytes);
        initiator.payload.set_streaming_width(4);
        CHECK(initiator.send() == tlm::TLM_BURST_ERROR_RESPONSE);
    }
    CHECK(initiator.delay == sc_core::SC_ZERO_TIME);
    CHECK(*bench.system.pointer(kStart, 1) == models::LocalMemory::kPoisonByte);
    CHECK(*bench.system.pointer(0x20000, 1) == models::LocalMemory::kPoisonByte);
}

TEST_CASE("a request of many runs is priced as a whole and moves nothing") {
    Bench bench;
    tests::TlmInitiator& initiator = *bench.initiator;
    models::TransferExtension transfer;
    // Four isolated runs of 8 bytes cost a burst of 32 bytes each.
    transfer.access.request = {4, 8, 256, kStart};
    initiator.payload.set_command(tlm::TLM_READ_COMMAND);
    initiator.payload.set_address(kStart);
    const models::LentExtension lent(initiator.payload, transfer);
    CHECK(initiator.send() == tlm::TLM_OK_RESPONSE);
    CHECK(bench.delay_ns() == 4 * 32 + 100);
    CHECK(transfer.reply.served.value == 4 * 32 * 1000);
}

TEST_CASE("debug and direct access show the same bytes and take no time") {
    Bench bench;
    tests::TlmInitiator& initiator = *bench.initiator;
    Bytes bytes{1, 2, 3, 4};
    CHECK(initiator.debug(tlm::TLM_WRITE_COMMAND, kStart + kSize - 4, bytes) == 4);
    CHECK(initiator.debug(tlm::TLM_WRITE_COMMAND, kStart + kSize - 3, bytes) == 0);
    CHECK(initiator.payload.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    tlm::tlm_dmi grant;
    initiator.payload.set_address(kStart);
    REQUIRE(initiator.out->get_direct_mem_ptr(initiator.payload, grant));
    CHECK(grant.is_read_write_allowed());
    CHECK(grant.get_start_address() == kStart);
    CHECK(grant.get_end_address() == kStart + kSize - 1);
    CHECK(grant.get_dmi_ptr()[kSize - 4] == 1);
    Bytes seen(4);
    CHECK(initiator.debug(tlm::TLM_READ_COMMAND, kStart + kSize - 4, seen) == 4);
    CHECK(seen == bytes);
    CHECK(initiator.delay == sc_core::SC_ZERO_TIME);
    CHECK(bench.target->port().totals(0).bytes_written == 0);
}
