// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/value_steps.h"

#include "tests/sim/study/sweep/made_up_table.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using sim::sweep::Figures;
using tests::MadeUpTable;
using tests::Setting;

constexpr const char* kGrid =
    "[[axis]]\nparameter = \"chip.lanes\"\nvalues = [64, 16, 32]\n"
    "[[axis]]\nparameter = \"bdc.clock_mhz\"\nvalues = [500, 1000]\n";

/// The bound halves when lanes double, and so does the time up to 32 lanes. At 64 lanes the GDMA
/// limits the time to 90 % of that with 32.
void figures_of(const Setting& at, Figures& figures) {
    const double lanes = at("chip.lanes"), slow = 1000 / at("bdc.clock_mhz");
    const double us = slow * (lanes > 32 ? 90 : 3200 / lanes);
    figures.set("us", us);
    figures.set("reachable_bound_us", slow * 2560 / lanes);
    figures.set("bdc_busy_us", slow * 1280 / lanes);
    figures.set("bdc_other_engine_us", us - slow * 1280 / lanes);
    figures.set("dram_read_bytes", lanes > 32 ? 3e6 : 1e6);
    figures.set("dram_written_bytes", 0);
}

}  // namespace

TEST_CASE("steps go from a value to the next, with all else the same") {
    const MadeUpTable table(kGrid, figures_of);
    const auto rows = machine_rows(*table);
    const auto steps = value_steps(*table, rows);
    // Two steps of lanes at each of two clocks, and one step of the clock at each of three lanes.
    REQUIRE(steps.size() == 7);
    const auto& first = steps[0];
    CHECK(first.parameter == "chip.lanes");
    CHECK(first.from == "16");
    CHECK(first.to == "32");
    CHECK(first.beside_bound() == Approx(1));
    CHECK(first.follows_bound());
    const auto& second = steps[1];
    CHECK(second.from == "32");
    CHECK(second.to == "64");
    // 0.9 of the time, half of the bound.
    CHECK(second.beside_bound() == Approx(1.8));
    CHECK_FALSE(second.follows_bound());
    // At 1000 MHz busy falls from 40 to 20 us, waiting rises from 60 to 70; at 500 MHz twice that.
    REQUIRE(second.causes.size() == 2);
    CHECK(second.causes[0].first == "bdc_busy_us");
    CHECK(second.causes[1].first == "bdc_other_engine_us");
    CHECK(second.causes[1].second > 0);
    CHECK(second.dram_bytes == Approx(2e6));
}

TEST_CASE("the lines say how many follow the bound, and what changed") {
    const MadeUpTable table(kGrid, figures_of);
    const std::string text = value_steps_text(*table, machine_rows(*table));
    CHECK(text.find("(within 10 %) for 5 of 7 pairs") != std::string::npos);
    // At two clocks, waiting rises by 10 and by 20 us.
    CHECK(text.find("chip.lanes from 32 to 64 gained 10 % of the time, possible 50 %, because BDC "
                    "waiting for the other engine +15 us.") != std::string::npos);
    // Steps that follow the bound have no sentence.
    CHECK(text.find("from 16 to 32 gained") == std::string::npos);
    // 2e6 / 1024^2 = 1.91.
    CHECK(text.find("DRAM +1.91 MiB") != std::string::npos);
}

TEST_CASE("points without a bound have no steps") {
    const MadeUpTable table(
        kGrid, [](const Setting& at, Figures& figures) { figures.set("us", at("chip.lanes")); });
    CHECK(value_steps_text(*table, machine_rows(*table)).empty());
}
