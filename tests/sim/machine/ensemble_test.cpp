// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/ensemble.h"

#include "isa/base/errors.h"
#include "models/bdc/bdc_params.h"
#include "models/chip/chip_params.h"
#include "tests/support/catch.h"

using namespace okksim;

TEST_CASE("a band is the middle of the members' times, widened") {
    const sim::Band middle = sim::spread({10, 2, 9, 1, 8, 0, 7, 3, 6, 5, 4}, 0.8);
    CHECK(middle.low == Approx(1));
    CHECK(middle.high == Approx(9));
    sim::Ensemble ensemble;
    ensemble.share = 0.8;
    ensemble.widening = 1.25;
    CHECK(ensemble.band({100}).low == Approx(80));
    CHECK(ensemble.band({100}).high == Approx(125));
}

TEST_CASE("the reference machine has a few dozen sets of parameters") {
    const auto [ensemble, why_not] = sim::builtin_ensemble(sim::load_machine("bm1684"));
    REQUIRE(ensemble);
    CHECK(ensemble->members.size() >= 24);
    CHECK(ensemble->machines().size() == ensemble->members.size());
    CHECK(ensemble->settings.empty());
}

TEST_CASE("what a machine has otherwise goes to every member, whatever it is called") {
    sim::Machine machine =
        sim::load_machine("bm1684", {"mcu.issue=lists", "chip.lanes=32", "bdc.clock_mhz=600"});
    machine.name = "recorded";
    machine.overrides.clear();
    const auto [ensemble, why_not] = sim::builtin_ensemble(machine);
    REQUIRE(ensemble);
    CHECK(ensemble->settings.size() == 3);
    for (const sim::Machine& member : ensemble->machines()) {
        CHECK(member.params.bdc->clock_mhz == 600);
        CHECK(member.params.chip->lanes == 32);
    }
}

TEST_CASE("a machine with a number that the members vary has no ensemble, and is told why") {
    const auto own = sim::builtin_ensemble(sim::load_machine("bm1684", {"gdma.setup_cycles=103"}));
    CHECK_FALSE(own.ensemble);
    CHECK_THAT(own.why_not, Catch::Contains("gdma.setup_cycles") && Catch::Contains("103"));
    CHECK_FALSE(sim::builtin_ensemble(sim::load_machine("cv1835")).ensemble);
}

TEST_CASE("an ensemble with a value too few is refused") {
    const std::string text =
        "machine = \"bm1684\"\nshare = 0.8\nwidening = 1.1\nparameters = [\"a.b\", \"a.c\"]\n"
        "cases = []\n[[member]]\nvalues = [1]\ndrawn = []\n";
    CHECK_THROWS_WITH(sim::read_ensemble(text, "file"),
                      Catch::Contains("member 0") && Catch::Contains("holds 1"));
}
