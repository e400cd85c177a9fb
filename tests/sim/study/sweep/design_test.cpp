// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/design.h"

#include <map>
#include <set>

#include "isa/base/errors.h"
#include "tests/sim/study/sweep/spec_text.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using sim::sweep::Design;
using sim::sweep::PointSettings;
using tests::spec_of;

constexpr const char* kLanes = "[[axis]]\nparameter = \"chip.lanes\"\nvalues = [16, 32, 64]\n";
constexpr const char* kBytes =
    "[[axis]]\nparameter = \"chip.local_memory_bytes\"\nvalues = [\"512KiB\", \"1MiB\"]\n";

std::vector<PointSettings> points_of(const std::string& text) {
    const auto spec = spec_of(text);
    return Design(spec, sim::load_machine("bm1684")).points();
}

}  // namespace

TEST_CASE("a grid has every combination, the last axis moves first") {
    const auto points = points_of(std::string(kLanes) + kBytes);
    REQUIRE(points.size() == 6);
    CHECK(points[0] == PointSettings{{"chip.lanes", "16"}, {"chip.local_memory_bytes", "512KiB"}});
    CHECK(points[1] == PointSettings{{"chip.lanes", "16"}, {"chip.local_memory_bytes", "1MiB"}});
    CHECK(points[5] == PointSettings{{"chip.lanes", "64"}, {"chip.local_memory_bytes", "1MiB"}});
    CHECK(points_of("").size() == 1);  // without axes: the base machine
}

TEST_CASE("constraints take points away, and say so when none is left") {
    // 16 x 1, 32 x 0.5, 32 x 1 (equal), 64 x 0.5 (equal) and 16 x 0.5 MiB keep 32 MiB.
    const std::string axes = std::string(kLanes) + kBytes;
    CHECK(points_of("constraints = [\"lanes * local_memory_bytes <= 32MiB\"]\n" + axes).size() ==
          5);
    CHECK_THROWS_AS(points_of("constraints = [\"lanes > 64\"]\n" + axes), ConfigError);
    CHECK_THROWS_AS(points_of("constraints = [\"lane > 64\"]\n" + axes), ConfigError);
}

TEST_CASE("chosen points are the same for the same seed, and others for another") {
    for (const std::string mode : {"random", "latin", "sobol"}) {
        CAPTURE(mode);
        const auto text = [&](int seed) {
            return "mode = \"" + mode + "\"\npoints = 12\nseed = " + std::to_string(seed) +
                   "\n[[axis]]\nparameter = \"bdc.clock_mhz\"\nrange = {from = 100, to = 900}\n" +
                   kLanes;
        };
        CHECK(points_of(text(3)).size() == 12);
        CHECK(points_of(text(3)) == points_of(text(3)));
        CHECK(points_of(text(3)) != points_of(text(4)));
    }
}

TEST_CASE("a latin hypercube has every value of an axis equally often") {
    const auto points = points_of(std::string("mode = \"latin\"\npoints = 12\n") + kLanes + kBytes);
    std::map<std::string, int> lanes;
    for (const auto& point : points) ++lanes[point[0].second];
    CHECK(lanes == std::map<std::string, int>{{"16", 4}, {"32", 4}, {"64", 4}});
}

TEST_CASE("a sobol sequence fills an interval evenly") {
    // Any 16 consecutive points from a multiple of 16 on have one in every sixteenth. The library
    // omits point 0, so seed 15 begins at point 16.
    const auto points = points_of(
        "mode = \"sobol\"\npoints = 16\nseed = 15\n[[axis]]\nparameter = \"bdc.clock_mhz\"\n"
        "range = {from = 160, to = 320}\n");
    std::set<int> parts;
    for (const auto& point : points) {
        parts.insert(static_cast<int>((std::stod(point[0].second) - 160) / 10));
    }
    CHECK(parts.size() == 16);
}

TEST_CASE("each value by itself, and every parameter of the machine") {
    const auto own = points_of(std::string("mode = \"each\"\n") + kLanes + kBytes);
    REQUIRE(own.size() == 6);  // the base machine, three lanes, two memories
    CHECK(own[0].empty());
    CHECK(own[4] == PointSettings{{"chip.local_memory_bytes", "512KiB"}});
    const auto all = points_of(std::string("mode = \"each\"\nevery_parameter = 0.1\n") + kBytes);
    std::map<std::string, std::vector<std::string>> values;
    for (const auto& point : all) {
        for (const auto& [path, value] : point) values[path].push_back(value);
    }
    CHECK(values["bdc.clock_mhz"] == std::vector<std::string>{"495", "605"});  // 550, 10 %
    CHECK(values["chip.lanes"] == std::vector<std::string>{"58", "70"});       // 57.6, 70.4
    CHECK(values["chip.local_memory_bytes"].size() == 2);                      // the axis alone
    CHECK(values["bdc.tensor_cycles"].empty());                                // 2 rounds to 2
    // 32 words: 29 and 35 are no power of two.
    CHECK(values["chip.vector_words"] == std::vector<std::string>{"16", "64"});
    CHECK(values["mcu.issue"].empty());
    CHECK_THROWS_AS(points_of("every_parameter = 0.1\n"), ConfigError);
}

TEST_CASE("a billion points are counted, not made") {
    std::string text;
    for (const char* key : {"bdc.startup_cycles", "bdc.broadcast_cycles", "gdma.setup_cycles"}) {
        text += std::string("[[axis]]\nparameter = \"") + key +
                "\"\nrange = {from = 1, to = 1000, step = 1}\n";
    }
    const auto spec = spec_of(text);
    CHECK(Design(spec, sim::load_machine("bm1684")).most_points() == 1'000'000'000);
}
