// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/effects.h"

#include <cmath>
#include <map>

#include "tests/sim/study/sweep/made_up_table.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using sim::sweep::Figures;
using tests::MadeUpTable;
using tests::Setting;

constexpr const char* kClock =
    "[[axis]]\nparameter = \"bdc.clock_mhz\"\nrange = {from = 400, to = 800}\n";
constexpr const char* kBandwidth =
    "[[axis]]\nparameter = \"dram.read_bytes_per_nanosecond\"\nlog = {from = 8, to = 128}\n";
constexpr const char* kLanes = "[[axis]]\nparameter = \"chip.lanes\"\nvalues = [16, 32, 64]\n";
constexpr const char* kBytes =
    "[[axis]]\nparameter = \"chip.local_memory_bytes\"\nvalues = [262144, 524288]\n";

/// Each parameter contributes a factor, independently of the others.
void product(const Setting& at, Figures& figures) {
    figures.set("us", 1e9 / at("chip.lanes") / std::sqrt(at("bdc.clock_mhz")) /
                          std::pow(at("dram.read_bytes_per_nanosecond"), 0.25));
}

std::map<std::string, double> effects_of(const MadeUpTable& table) {
    std::map<std::string, double> ratios;
    for (const auto& effect : main_effects(*table, machine_rows(*table))) {
        ratios[effect.parameter] = effect.ratio;
    }
    return ratios;
}

double largest_interaction(const MadeUpTable& table) {
    const auto pairs = interactions(*table, machine_rows(*table));
    return pairs.empty() ? 0 : pairs.front().ratio;
}

}  // namespace

TEST_CASE("chosen points show what each axis does, and nothing that the axes do not do together") {
    // Lanes have the ratio 64 / 16. The outer quarters of an evenly covered clock are 400..500 and
    // 700..800. Their geometric means exp(mean of ln) are 448.1 and 749.4; the root of the ratio is
    // 1.2932. On a logarithmic axis from 8 to 128 (16 times), the middles of the outer quarters are
    // 3/4 apart. 16^(3/4) is 8, and 8^(1/4) is 1.6818.
    for (const std::string mode : {"random", "latin", "sobol"}) {
        const MadeUpTable table(
            "mode = \"" + mode + "\"\npoints = 512\n" + kClock + kBandwidth + kLanes, product);
        auto effects = effects_of(table);
        CAPTURE(mode, effects);
        // The quarters of random points vary by chance: 2 % of 512 points.
        CHECK(effects["chip.lanes"] == Approx(4).epsilon(0.02));
        CHECK(effects["bdc.clock_mhz"] == Approx(1.2932).epsilon(0.02));
        CHECK(effects["dram.read_bytes_per_nanosecond"] == Approx(1.6818).epsilon(0.03));
        CHECK(largest_interaction(table) < 1.02);
    }
}

TEST_CASE("few chosen points do not make up interactions") {
    const MadeUpTable table(
        std::string("mode = \"sobol\"\npoints = 40\n") + kClock + kBandwidth + kLanes, product);
    CHECK(largest_interaction(table) < 1.1);
}

TEST_CASE("what chance does is not told as an effect") {
    // Lanes have no effect; the clock has a ratio of (800 / 400)^2 between its ends.
    const auto squared = [](const Setting& at, Figures& figures) {
        figures.set("us", 1e9 / (at("bdc.clock_mhz") * at("bdc.clock_mhz")));
    };
    const auto standing = [&](int points) {
        const MadeUpTable table("mode = \"random\"\npoints = " + std::to_string(points) + "\n" +
                                    kClock + kLanes + kBytes,
                                squared);
        std::vector<std::string> names;
        for (const auto& effect : main_effects(*table, machine_rows(*table))) {
            if (effect.stands_out) names.push_back(effect.parameter);
        }
        return names;
    };
    // Seven points cannot determine 1 + 3 + 2 + 1 levels reliably.
    CHECK(standing(7).empty());
    CHECK(standing(400) == std::vector<std::string>{"bdc.clock_mhz"});
}

TEST_CASE("a machine that is chosen again and again is one, and on the front") {
    // 50 points of three machines; time and area have opposite orders.
    const MadeUpTable table(
        std::string("mode = \"random\"\npoints = 50\nobjectives = [\"us\", \"area_mm2\"]\n") +
            kLanes,
        [](const Setting& at, Figures& figures) {
            figures.set("us", 1000 / at("chip.lanes"));
            figures.set("area_mm2", at("chip.lanes"));
        });
    const auto rows = machine_rows(*table);
    CHECK(rows.size() == 3);
    CHECK(front_of(rows).size() == 3);
}

TEST_CASE("what two axes do together stands out of chosen points") {
    // The time doubles in one of 3 x 2 cells: 64 lanes with 256 KiB. The main effects absorb a part
    // of it. The cell keeps ln 2 * (1 - 1/3) * (1 - 1/2) = ln 2 / 3, a factor of 1.26; the other
    // cells keep no more.
    for (const bool chosen : {true, false}) {
        const std::string text = std::string(kLanes) + kBytes;
        const std::string mode = "mode = \"sobol\"\npoints = 240\n";
        const MadeUpTable table(
            chosen ? mode + text + kClock : text, [](const Setting& at, Figures& figures) {
                const bool both = at("chip.lanes") == 64 && at("chip.local_memory_bytes") == 262144;
                figures.set("us", both ? 200 : 100);
            });
        CAPTURE(chosen);
        CHECK(largest_interaction(table) == Approx(std::cbrt(2)).epsilon(0.03));
    }
}

TEST_CASE("a constraint does not lend one axis the effect of another") {
    // Memory has no effect. With 64 lanes, which are fast, only the small memory is allowed, so its
    // machines have a smaller mean time. The third axis has no effect and adds enough points to
    // separate the other two.
    const MadeUpTable table(
        std::string("constraints = [\"lanes * local_memory_bytes <= 16MiB\"]\n") + kLanes + kBytes +
            "[[axis]]\nparameter = \"host.launch_nanoseconds\"\nvalues = [1, 2, 3]\n",
        [](const Setting& at, Figures& figures) { figures.set("us", 1000 / at("chip.lanes")); });
    auto effects = effects_of(table);
    CHECK(effects["chip.lanes"] == Approx(4));
    CHECK(effects["chip.local_memory_bytes"] == Approx(1));
    CHECK(effects["host.launch_nanoseconds"] == Approx(1));
    CHECK(largest_interaction(table) == Approx(1));
}

TEST_CASE("the parameters of a bundle have its effect, and none beyond it") {
    const MadeUpTable table(
        std::string("[[axis]]\nbundle = \"node\"\nvalues = [{\"bdc.clock_mhz\" = 400, "
                    "\"gdma.clock_mhz\" = 500}, {\"bdc.clock_mhz\" = 800, \"gdma.clock_mhz\" = "
                    "1000}]\n") +
            kLanes + kBytes,
        [](const Setting& at, Figures& figures) { figures.set("us", 1e6 / at("bdc.clock_mhz")); });
    auto effects = effects_of(table);
    CHECK(effects["bdc.clock_mhz"] == Approx(2));
    CHECK(effects["gdma.clock_mhz"] == Approx(2));
    CHECK(effects["chip.lanes"] == Approx(1));
    CHECK(largest_interaction(table) == Approx(1));
}
