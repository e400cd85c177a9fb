// SPDX-License-Identifier: Apache-2.0
// Results of a study about groups, from made-up runs.
#include "sim/study/worth/worth_answers.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/study/worth/worth_report.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim::worth;
using Catch::Contains;
using isa::Feature;

/// Points: all, none, without requantise (and so fused_rescale), without lookup, only requantise,
/// only lookup, without both.
MachineStudy two_groups() {
    StudyChoice choice;
    choice.groups = GroupSet::from("requantise,lookup");
    return make_study(choice);
}

NetworkRun run_of(double us) {
    NetworkRun run;
    run.figures.set("us", us);
    run.figures.set("launch_us", us + 27);
    run.figures.set("gdma_commands", 10);
    run.figures.set("bdc_commands", us);
    run.figures.set("dram_read_bytes", 1000);
    run.figures.set("dram_written_bytes", 500);
    run.figures.set("energy_j", us * 1e-6);
    return run;
}

/// Made-up times in microseconds for each point.
NetworkWorth network(const MachineStudy& study, const char* name, double all, double none,
                     double no_requantise, double no_lookup) {
    NetworkWorth worth{name, std::vector<NetworkRun>(study.machines.size(), run_of(none))};
    worth.runs[study.points[2].machine] = run_of(no_requantise);
    worth.runs[study.points[3].machine] = run_of(no_lookup);
    worth.runs[0] = run_of(all);
    return worth;
}

bool contains_line(const std::string& text, const std::string& line) {
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST_CASE("worth/differences from the machine with all groups") {
    const MachineStudy study = two_groups();
    const WorthRow row = row_of(study, network(study, "net", 100, 400, 250, 130));
    CHECK(row.points[0].commands == 110);
    CHECK(row.points[0].dram_bytes == 1500);
    const Difference lookup = difference(study, row, 3);
    CHECK(lookup.ratio == Approx(1.3));
    CHECK(lookup.us == Approx(30));
    // 64 lanes with a port of 600 um2 for each of 16 units.
    CHECK(lookup.mm2 == Approx(64 * 16 * 600e-6));
    CHECK(lookup.us_per_mm2 == Approx(30 / (64 * 16 * 600e-6)));
    // Lookup alone, compared with none: the machine is that without requantise.
    CHECK(difference(study, row, 5).us_per_mm2 == Approx((400 - 250) / (64 * 16 * 600e-6)));
    CHECK(difference(study, row, 5).us == Approx(150));
    CHECK(difference(study, row, 0).us == 0);
    CHECK(std::isnan(difference(study, row, 0).us_per_mm2));
}

TEST_CASE("worth/pairs interact when their joint effect is not the sum") {
    const MachineStudy study = two_groups();
    // Without both, the time is 400: 300 more. Without each it is 150 and 30 more: 180. The
    // difference of 120 is 1.2 of 100 us.
    const auto found = interactions(study, row_of(study, network(study, "n", 100, 400, 250, 130)));
    REQUIRE(found.size() == 1);
    CHECK(found[0].groups.text() == "requantise, lookup");
    CHECK(found[0].us == Approx(300));
    CHECK(found[0].sum_us == Approx(180));
    CHECK(found[0].share == Approx(1.2));
    // 180.9 differs from 180 by 0.9 %, 178.9 by -1.1 %.
    CHECK(interactions(study, row_of(study, network(study, "n", 100, 280.9, 250, 130))).empty());
    CHECK(interactions(study, row_of(study, network(study, "n", 100, 278.9, 250, 130))).size() ==
          1);
}

TEST_CASE("worth/means are geometric, and there is none of what one network lacks") {
    const MachineStudy study = two_groups();
    std::vector<NetworkWorth> networks{network(study, "a", 100, 400, 250, 130),
                                       network(study, "b", 400, 900, 400, 520)};
    const WorthRow mean = mean_of(study, networks);
    CHECK(mean.points[0].us == Approx(200));   // sqrt(100 * 400)
    CHECK(interactions(study, mean).empty());  // times of a mean do not add up
    CHECK(mean.points[1].us == Approx(600));
    CHECK(difference(study, mean, 3).ratio == Approx(1.3));
    networks[1].runs[study.points[1].machine] = {"no memory", {}, {}};
    const WorthRow without = mean_of(study, networks);
    CHECK(std::isnan(without.points[1].us));
    CHECK(without.points[0].us == Approx(200));
}

TEST_CASE("worth/reports say which group is dead, what failed, and what is assumed") {
    const MachineStudy study = two_groups();
    NetworkWorth worth = network(study, "net,work", 100, 400, 250, 130);
    KindUse use;
    use.kind = "RESCALE";
    use.us = 60;
    use.commands[static_cast<std::size_t>(Feature::kRequantise)] = 3;
    worth.runs[0].kinds = {use};
    worth.runs[study.points[3].machine] = {"no memory", {}, {}};
    CHECK(unused_groups(study, {worth}).text() == "fused_rescale, lookup");
    NetworkWorth failed = worth;
    failed.runs[0] = {"no memory", {}, {}};
    CHECK(unused_groups(study, {failed}).empty());  // unknown, because a run failed
    const std::string text = worth_text(study, {worth});
    CHECK(contains_line(text, "lookup: no command of this group was issued"));
    CHECK_FALSE(contains_line(text, "requantise: no command of this group was issued"));
    CHECK_THAT(text, Contains("without lookup: no memory"));
    CHECK_THAT(text, Contains("without lookup *"));
    CHECK_THAT(text, Contains("features.table_cycles = 1 (assumed"));
    CHECK_THAT(text,
               Contains("Turning requantise off also turns fused_rescale off, which needs it"));
    CHECK_THAT(worth_csv(study, {worth}), Contains("\"net,work\",without,without lookup,"));
    const auto json = worth_json(study, {worth});
    CHECK(json["networks"][0]["points"][3]["us"].is_null());
    CHECK(json["networks"][0]["points"][3]["failure"] == "no memory");
    CHECK(json["networks"][0]["points"][0]["operators"][0]["commands"]["requantise"] == 3);
    // requantise, its dependent fused_rescale, and lookup.
    CHECK(json["groups"].size() == 3);
    CHECK(json["groups"][0]["issued"] == true);
    CHECK(json["groups"][1]["looked_at"] == false);
    CHECK(json["groups"][2]["issued"] == false);
}

}  // namespace
