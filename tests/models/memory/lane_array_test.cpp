// SPDX-License-Identifier: Apache-2.0
// Lanes as modules: access to their local memory through sockets, one by one and through the array.
#include "models/memory/lane_array.h"

#include "models/chip/chip.h"
#include "models/chip/chip_params.h"
#include "models/interconnect/interconnect.h"
#include "sim/platform/simulation.h"
#include "sim/platform/systemc_context.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"
#include "tests/support/tlm_initiator.h"

namespace {

using namespace okksim;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t kStart = 0x8000;
constexpr std::int64_t kLaneBytes = 1024;

/// Three lanes connected to an interconnect.
struct Bench {
    Bench() : scope(context), memory(tests::small_machine(3, kLaneBytes)) {
        lanes.emplace("lanes", memory, kStart);
        interconnect.emplace("interconnect",
                             std::vector<isa::MemoryRegion>{{kStart, 3 * kLaneBytes}});
        initiator.emplace("initiator");
        initiator->out.bind(interconnect->in);
        interconnect->out.bind(lanes->in);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }

    sim::SystemCContext context;
    sim::SystemCContext::Scope scope;
    models::LocalMemory memory;
    std::optional<models::LaneArray> lanes;
    std::optional<models::Interconnect> interconnect;
    std::optional<tests::TlmInitiator> initiator;
};

}  // namespace

TEST_CASE("a local address reaches its lane") {
    Bench bench;
    tests::TlmInitiator& initiator = *bench.initiator;
    CHECK(initiator.write(kStart + 2 * kLaneBytes + 5, Bytes{42}) == tlm::TLM_OK_RESPONSE);
    CHECK(initiator.payload.get_address() == kStart + 2 * kLaneBytes + 5);
    CHECK(initiator.delay == sc_core::SC_ZERO_TIME);
    CHECK(*bench.memory.at(2, 5) == std::byte{42});
    Bytes seen(1);
    CHECK(initiator.debug(tlm::TLM_READ_COMMAND, kStart + 2 * kLaneBytes + 5, seen) == 1);
    CHECK(seen[0] == 42);
}

TEST_CASE("an access that leaves its lane or the lanes is refused") {
    Bench bench;
    tests::TlmInitiator& initiator = *bench.initiator;
    CHECK(initiator.write(kStart + kLaneBytes - 1, Bytes(2)) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(initiator.write(kStart + 3 * kLaneBytes, Bytes(1)) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(initiator.write(kStart - 1, Bytes(1)) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    Bytes bytes(2);
    CHECK(initiator.debug(tlm::TLM_READ_COMMAND, kStart + kLaneBytes - 1, bytes) == 0);
}

TEST_CASE("direct access is granted lane by lane") {
    Bench bench;
    tlm::tlm_dmi grant;
    bench.initiator->payload.set_address(kStart + kLaneBytes + 100);
    REQUIRE(bench.initiator->out->get_direct_mem_ptr(bench.initiator->payload, grant));
    CHECK(grant.get_start_address() == kStart + kLaneBytes);
    CHECK(grant.get_end_address() == kStart + 2 * kLaneBytes - 1);
    CHECK(reinterpret_cast<std::byte*>(grant.get_dmi_ptr()) == bench.memory.at(1, 0));
    bench.initiator->payload.set_address(kStart + 3 * kLaneBytes);
    CHECK_FALSE(bench.initiator->out->get_direct_mem_ptr(bench.initiator->payload, grant));
}

TEST_CASE("a chip has its lanes in the hierarchy, and its map shows their memory") {
    sim::Simulation simulation(sim::load_machine("bm1684", {"chip.lanes=8"}), {});
    models::Chip& chip = simulation.chip();
    REQUIRE(chip.lanes.lanes.size() == 8);
    CHECK(std::string(chip.lanes.lanes[7].name()) == "chip.lanes.lane_7");
    const auto& params = *simulation.machine().params.chip;
    const auto address =
        static_cast<std::uint64_t>(params.local_memory_start + 7 * params.local_memory_bytes + 12);
    const std::array<std::byte, 2> bytes{std::byte{1}, std::byte{2}};
    chip.write_memory(address, bytes);
    CHECK(*chip.local_memory().at(7, 13) == std::byte{2});
    std::array<std::byte, 2> seen{};
    chip.read_memory(address, seen);
    CHECK(seen == bytes);
    CHECK(simulation.time().value == 0);
    CHECK_THROWS_WITH(chip.read_memory(0, seen),
                      Catch::Contains("0x0") && Catch::Contains("one memory of the chip"));
}
