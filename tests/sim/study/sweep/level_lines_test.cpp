// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/level_lines.h"

#include "isa/base/errors.h"
#include "tests/sim/study/sweep/made_up_table.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using sim::sweep::Figures;
using sim::sweep::round_levels;
using tests::MadeUpTable;
using tests::Setting;
using Numbers = std::vector<double>;

constexpr const char* kLanes = "[[axis]]\nparameter = \"chip.lanes\"\nvalues = [16, 32, 64]\n";

/// 64 us and 16 mm2 with 16 lanes, 16 us and 64 mm2 with 64.
void figures_of(const Setting& at, Figures& figures) {
    figures.set("us", 1024 / at("chip.lanes"));
    figures.set("area_mm2", at("chip.lanes"));
    figures.set("power_w", 3);
}

}  // namespace

TEST_CASE("levels are round numbers between the ends") {
    CHECK(round_levels(12, 180) == Numbers{20, 50, 100});
    CHECK(round_levels(51, 93) == Numbers{60, 70, 80, 90});
    // A fifth of the difference is 0.26: steps of 0.5.
    CHECK(round_levels(9.9, 11.2) == Numbers{10, 10.5, 11});
    // 2 5 10 20 50 100 200 500: every second value, from the largest down.
    CHECK(round_levels(1, 1000) == Numbers{5, 20, 100, 500});
    CHECK(round_levels(7, 7).empty());
}

TEST_CASE("a level has the fastest machine within, and how many there are") {
    const MadeUpTable table(
        std::string("[levels]\narea_mm2 = [40, 8, 64]\n\"us * lanes\" = [2000]\n") + kLanes,
        figures_of);
    const auto rows = machine_rows(*table);
    const auto lines = level_lines(*table, rows);
    REQUIRE(lines.size() == 2);
    const auto& area = lines[lines[0].metric == "area_mm2" ? 0 : 1];
    REQUIRE(area.levels.size() == 3);
    CHECK(area.levels[0].most == 8);
    CHECK(!area.levels[0].best);  // no value is that small
    CHECK(area.levels[1].machines == 2);
    CHECK(rows[area.levels[1].best.value()].objectives[0] == Approx(32));  // 32 lanes within 40
    CHECK(rows[area.levels[2].best.value()].objectives[0] == Approx(16));  // 64 mm2 is within 64
    const auto& product = lines[lines[0].metric == "area_mm2" ? 1 : 0];
    CHECK(product.levels[0].machines == 3);  // 1024 everywhere
    const std::string text = levels_text(*table, rows);
    CHECK(text.find("40:             32  chip.lanes=32  (of 2 machines)\n") != std::string::npos);
    CHECK(text.find("8: no machine\n") != std::string::npos);
}

TEST_CASE("without levels of the specification there are some where machines differ") {
    // 16 to 64 mm2: a fifth of the difference is 9.6, so steps are 10; the power is the same.
    const MadeUpTable table(kLanes, figures_of);
    const auto lines = level_lines(*table, machine_rows(*table));
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].metric == "area_mm2");
    // 20 30 40 50 60: 16 lanes are best up to 30, and 32 lanes up to 60.
    REQUIRE(lines[0].levels.size() == 2);
    CHECK(lines[0].levels[0].most == 20);
    CHECK(lines[0].levels[0].machines == 1);
    CHECK(lines[0].levels[1].most == 40);
    CHECK(lines[0].levels[1].machines == 2);
}

TEST_CASE("levels of nothing, and levels that are none, are refused") {
    const auto refusal = [](const std::string& text) -> std::string {
        try {
            const MadeUpTable table(text + kLanes, figures_of);
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "";
    };
    CHECK(refusal("[levels]\narea = [1]\n").find("levels.area: area is no metric") !=
          std::string::npos);
    CHECK(refusal("[levels]\narea_mm2 = []\n").find("levels.area_mm2: must be a list of numbers") !=
          std::string::npos);
    CHECK(refusal("[levels]\narea_mm2 = [1, \"x\"]\n").find("list of numbers") !=
          std::string::npos);
}
