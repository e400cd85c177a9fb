// SPDX-License-Identifier: Apache-2.0
// Hazards between the engines, found from the order that commands ask for.
#include "models/chip/order_check.h"

#include "tests/models/chip/set_commands.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace {

using namespace okksim;
using isa::Command;
using isa::CommandId;

isa::MachineShape machine() { return tests::small_machine(64, 512 * 1024); }

/// One word per lane at `offset` is written.
Command bdc_write(CommandId id, CommandId wait_gdma, std::uint32_t offset) {
    return tests::bdc_set(id, wait_gdma, 0, {offset});
}
Command gdma_write(CommandId id, CommandId wait_bdc, std::uint32_t offset) {
    return tests::gdma_set(id, wait_bdc, 0, {offset});
}

TEST_CASE("order check/two unordered writers of one place are a hazard") {
    models::OrderCheck check(machine());
    CHECK_FALSE(check.submitted(gdma_write(1, 0, 0x100)));
    const auto hazard = check.submitted(bdc_write(1, 0, 0x100));
    REQUIRE(hazard);
    CHECK(hazard->first.opcode == isa::Opcode::gdma_32bit_set_C_local);
    CHECK(hazard->second.opcode == isa::Opcode::bdc_32bit_set_C);
    CHECK(std::string(hazard->first_operand) == "dst_addr");
    CHECK(hazard->place.lane == 0);
    CHECK(hazard->place.offset == 0x100);
}

TEST_CASE("order check/waiting orders, other places do not matter") {
    models::OrderCheck check(machine());
    CHECK_FALSE(check.submitted(gdma_write(1, 0, 0x100)));
    CHECK_FALSE(check.submitted(bdc_write(1, 0, 0x180)));
    CHECK_FALSE(check.submitted(bdc_write(2, 1, 0x100)));
    // The engine's later commands are ordered behind what its earlier ones waited for.
    CHECK_FALSE(check.submitted(bdc_write(3, 0, 0x100)));
    CHECK_FALSE(check.submitted(gdma_write(2, 1, 0x180)));
    // Id 2 and 3 of the other engine are not waited for.
    CHECK(check.submitted(gdma_write(3, 1, 0x100)));
}

TEST_CASE("order check/a launch forgets the one before") {
    models::OrderCheck check(machine());
    CHECK_FALSE(check.submitted(gdma_write(5, 0, 0x100)));
    check.clear();
    CHECK_FALSE(check.submitted(bdc_write(1, 0, 0x100)));
}

}  // namespace
