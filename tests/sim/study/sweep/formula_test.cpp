// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/formula.h"

#include "isa/base/errors.h"
#include "tests/support/catch.h"

using okksim::ConfigError;
using okksim::sim::sweep::Formula;

TEST_CASE("formulas compute with names, dots in names and units") {
    const Formula formula("chip.lanes * local_memory_bytes <= 32MiB", "here");
    CHECK(formula.names() == std::vector<std::string>{"chip.lanes", "local_memory_bytes"});
    const auto at = [&](double lanes, double bytes) {
        return formula.value([=](const std::string& name) -> std::optional<double> {
            return name == "chip.lanes" ? lanes : bytes;
        });
    };
    CHECK(at(64, 524288) == 1.0);  // 64 x 512 KiB = 32 MiB
    CHECK(at(64, 524289) == 0.0);
}

TEST_CASE("a formula without a number has no value") {
    const auto nothing = [](const std::string&) { return std::optional<double>(); };
    CHECK(!Formula("a + 1", "here").value(nothing));
    CHECK(!Formula("1 / a", "here").value([](const std::string&) { return 0.0; }));
    CHECK(Formula("2 + 3 * 4", "here").value(nothing) == 14.0);
}

TEST_CASE("what is no formula is refused where it stands") {
    CHECK_THROWS_AS(Formula("1 +", "metrics.x"), ConfigError);
    CHECK_THROWS_AS(Formula("", "metrics.x"), ConfigError);
    CHECK_THROWS_AS(Formula("lanes lanes", "metrics.x"), ConfigError);
    CHECK_THROWS_WITH(Formula("lanes = 16", "constraints"), Catch::Contains("\"==\""));
    CHECK_THROWS_AS(Formula("1, lanes", "constraints"), ConfigError);
    for (const char* comparison : {"a == 1", "a >= 1", "a <= 1", "a != 1", "a==1 && a<=1"}) {
        CHECK_NOTHROW(Formula(comparison, "constraints"));
    }
}
