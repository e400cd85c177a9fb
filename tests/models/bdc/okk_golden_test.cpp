// SPDX-License-Identifier: Apache-2.0
#include "tests/support/catch.h"
#include "tests/support/golden_cases.h"
#include "tests/support/golden_dir.h"

namespace okksim::tests {

TEST_CASE("the reader of golden vectors notices wrong results and stray writes", "[golden]") {
    const auto dir = needed_golden_dir();
    if (!dir) return;
    const OkkFunction function = load_okk_function(*dir / "okk", "okk_bdc_add");
    REQUIRE(function.parameters.size() == 7);
    REQUIRE(function.parameters[3] == std::pair<std::string, std::string>("const dim4 *", "shape"));
    REQUIRE(function.fill == std::byte{0xCD});
    REQUIRE(!function.cases.empty());

    const isa::MachineShape machine = okk_machine_shape();
    models::LocalMemory local(machine);
    OkkMemoryCheck check(local, nullptr, machine);
    const OkkCase& golden = function.cases.front();
    REQUIRE(golden.arguments().size() == 7);
    REQUIRE(golden.arguments().dim4(3)->n > 0);

    // No command has run, so the destination must be reported as different.
    check.load(function, golden);
    const auto difference = check.compare(function, golden);
    REQUIRE(difference);
    REQUIRE(difference->find("region dst") != std::string::npos);

    // The right bytes pass; one wrong byte far away from them does not.
    check.load(function, golden);
    for (const OkkRegion& region : golden.after) {
        for (std::int32_t lane = 0; lane < region.lanes; ++lane) {
            const auto size = static_cast<std::size_t>(region.bytes);
            std::memcpy(
                local.at(region.first_lane + lane, region.address),
                function.blob.data() + region.offset + static_cast<std::size_t>(lane) * size, size);
        }
    }
    REQUIRE(!check.compare(function, golden));
    *local.at(63, 500000) = std::byte{0};
    REQUIRE(check.compare(function, golden)->find("stray write, lane 63 byte 500000") !=
            std::string::npos);
}

}  // namespace okksim::tests
