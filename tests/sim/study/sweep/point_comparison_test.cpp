// SPDX-License-Identifier: Apache-2.0
// Comparison of two points: the causes explain the whole difference.
#include "sim/study/sweep/point_comparison.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "isa/base/errors.h"
#include "isa/base/temporary_folder.h"
#include "sim/study/sweep/sweep_run.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim::sweep;

constexpr const char* kSpec = R"(
plan = "fixed"
[metrics]
us_per_mm2 = "us / area_mm2"
[[workload]]
zoo = "mobilenet_v2"
size = 32
width = 0.25
[[axis]]
parameter = "bdc.clock_mhz"
values = [200, 800, 0]
)";

/// The table of the sweep; point 2 is an invalid machine.
struct Swept {
    TemporaryFolder folder;
    PointStore store{folder.path() / "s.sqlite", PointStore::Access::kWrite};
    PointTable table = make();

    PointTable make() {
        const auto file = folder.path() / "s.toml";
        std::ofstream(file) << kSpec;
        const SweepOutcome outcome = run_sweep(read_sweep(file), store, SweepOptions());
        return PointTable(store, store.sweep(outcome.sweep));
    }
};

double total(const std::vector<FigureChange>& changes) {
    double sum = 0;
    for (const FigureChange& change : changes) sum += change.difference();
    return sum;
}

}  // namespace

TEST_CASE("two points differ by their causes, of which the largest comes first") {
    const Swept swept;
    const PointComparison comparison = compare_points(swept.table, 0, 1);
    const auto figure = [&](const std::string& name) {
        const auto found = std::ranges::find(comparison.figures, name, &FigureChange::name);
        REQUIRE(found != comparison.figures.end());
        return *found;
    };
    // A faster clock: less time, including launch and sync; area and work stay.
    CHECK(figure("us").difference() < 0);
    CHECK(figure("area_mm2").difference() == 0);
    CHECK(figure("operations").difference() == 0);
    CHECK(figure("us_per_mm2").after == figure("us").after / figure("area_mm2").after);
    REQUIRE(comparison.engines.size() == 3);
    for (const auto& causes : comparison.engines) {
        CHECK(total(causes) == Approx(figure("launch_us").difference()).margin(1e-6));
        for (std::size_t i = 1; i < causes.size(); ++i) {
            CHECK(std::abs(causes[i].difference()) <= std::abs(causes[i - 1].difference()));
        }
    }
    // In the opposite direction all signs change.
    const PointComparison back = compare_points(swept.table, 1, 0);
    CHECK(back.figures.front().difference() == -comparison.figures.front().difference());
    const auto json = nlohmann::json::parse(comparison_json(swept.table, comparison));
    CHECK(json["before"]["settings"]["bdc.clock_mhz"] == "200");
    CHECK(json["causes"][0]["name"] == comparison.engines[0][0].name);
    CHECK_THAT(comparison_text(swept.table, comparison), Catch::Contains("bdc.clock_mhz=800"));
}

TEST_CASE("points that are not there, or failed, cannot be compared") {
    const Swept swept;
    CHECK_THROWS_WITH(compare_points(swept.table, 0, 7), Catch::Contains("point 7: is not in"));
    CHECK_THROWS_WITH(compare_points(swept.table, 2, 0), Catch::Contains("point 2: failed"));
}
