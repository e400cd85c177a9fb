// SPDX-License-Identifier: Apache-2.0
// The machines that a study compares.
#include "sim/study/worth/machine_study.h"

#include <algorithm>

#include "isa/base/errors.h"
#include "models/bdc/bdc_params.h"
#include "models/chip/feature_params.h"
#include "models/energy/energy.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim::worth;
using Catch::Contains;
using isa::Feature;

std::vector<std::string> names(const MachineStudy& study) {
    std::vector<std::string> all;
    for (const Point& point : study.points) all.push_back(point.name(study.all));
    return all;
}

StudyChoice choice(const char* machine, const char* groups) {
    StudyChoice choice;
    choice.machine = machine;
    choice.groups = GroupSet::from(groups);
    return choice;
}

TEST_CASE("worth/points of two groups: all, none, without each, each alone, without both") {
    const MachineStudy study = make_study(choice("okk-next", "requantise,lookup"));
    CHECK(names(study) ==
          std::vector<std::string>{"all", "none", "without requantise and so fused_rescale",
                                   "without lookup", "only requantise", "only lookup",
                                   "without requantise, lookup and so fused_rescale"});
    // Groups outside the study keep their state.
    CHECK(study.all == GroupSet::every());
    CHECK(study.points[1].groups.text() ==
          "int8_mac, int_alu, convert, dma_layout, dma_index, half_mac, int16_mac");
    CHECK(study.points[4].groups.text() ==
          "int8_mac, requantise, int_alu, convert, dma_layout, dma_index, half_mac, int16_mac");
    // The machine "none" equals "without both", and "only lookup" equals "without requantise".
    // "Only requantise" has no fused_rescale.
    CHECK(study.machines.size() == 5);
    CHECK(study.points[6].machine == study.points[1].machine);
    CHECK(study.points[5].machine == study.points[2].machine);
    CHECK(study.machine_of(study.points[0]).hash() == sim::load_machine("okk-next").hash());
    const sim::Machine without = sim::load_machine("okk-next", {"features.lookup=false"});
    CHECK(study.machine_of(study.points[3]).hash() == without.hash());
    CHECK(study.machine_of(study.points[3]).label() == without.label());
}

TEST_CASE("worth/one group alone comes with those that it needs, pairs of such are none") {
    const MachineStudy study = make_study(choice("okk-next", "int8_mac,requantise,fused_rescale"));
    const auto all = names(study);
    const std::vector<std::string> expected{
        "all",
        "none",
        "without int8_mac and so fused_rescale, int16_mac",
        "without requantise and so fused_rescale",
        "without fused_rescale",
        "only int8_mac",
        "only requantise",
        "only fused_rescale with int8_mac, requantise",
        "without int8_mac, requantise and so fused_rescale, int16_mac"};
    CHECK(all == expected);
}

TEST_CASE("worth/a machine without groups gets those that are asked for, or all") {
    StudyChoice all;
    all.machine = "bm1684";
    CHECK(make_study(all).groups == GroupSet::every());
    const MachineStudy study = make_study(choice("bm1684", "lookup"));
    CHECK(study.points[0].groups.text() == "lookup");
    CHECK(study.machine_of(study.points[1]).hash() == sim::load_machine("bm1684").hash());
    // By default, the study covers the machine's own groups.
    StudyChoice some;
    some.settings = {"features.lookup=false"};
    CHECK_FALSE(make_study(some).groups.has(Feature::kLookup));
}

TEST_CASE("worth/values of a parameter are points with all groups") {
    StudyChoice with = choice("okk-next", "lookup");
    with.parameters = {"features.table_cycles=1,24", "features.mac_packing=pixels"};
    const MachineStudy study = make_study(with);
    const Point& same = study.points[4];
    CHECK(same.name(study.all) == "features.table_cycles=1");
    CHECK(same.machine == 0);  // the machine's own value
    CHECK(study.machine_of(study.points[5]).params.bdc->table_cycles == 24);
    CHECK(study.machine_of(study.points[5]).params.features->lookup);
    CHECK(study.machine_of(study.points[6]).params.bdc->mac_packing == 1);
}

TEST_CASE("worth/what cannot be is told before anything runs") {
    CHECK_THROWS_WITH(
        make_study(choice("bm1684", "fused_rescale")),
        Contains("bm1684 cannot have fused_rescale") && Contains("it needs int8_mac, requantise"));
    StudyChoice contradicts = choice("okk-next", "lookup");
    contradicts.settings = {"features.lookup=false"};
    CHECK_THROWS_WITH(make_study(contradicts),
                      Contains("--set features.lookup=false removes it from the machine"));
    const auto refuse = [](const char* parameter, const char* why) {
        StudyChoice with = choice("okk-next", "lookup");
        with.parameters = {parameter};
        CHECK_THROWS_WITH(make_study(with), Contains(why));
    };
    refuse("features.table_cycles", "expected section.key=value,value");
    refuse("features.table_cycles=", "expected section.key=value,value");
    refuse("features.tabel_cycles=1", "did you mean \"features.table_cycles\"");
    refuse("features.table_cycles=1,x", "table_cycles");
    refuse("features.lookup=true,false", "--groups turns groups off");
    CHECK_THROWS_AS(make_study(choice("no-such-machine", "lookup")), ConfigError);
}

TEST_CASE("worth/assumed values are those whose source says so") {
    const sim::Machine machine = sim::load_machine("okk-next", {"features.rescale_cycles=3"});
    const auto paths = [&](Feature group) {
        std::vector<std::string> all;
        for (const AssumedValue& value : assumed_values(machine, group)) all.push_back(value.path);
        return all;
    };
    // rescale_cycles is assumed, too, but the settings here give it; the area is derived.
    CHECK(paths(Feature::kRequantise) == std::vector<std::string>{"features.rescale_multipliers"});
    CHECK(paths(Feature::kLookup) ==
          std::vector<std::string>{"features.table_cycles", "area.table_port_um2"});
    CHECK(paths(Feature::kIntAlu).empty());
    // A machine without the group has no stated values for it.
    const sim::Machine other = sim::load_machine("bm1684", {"features.lookup=true"});
    REQUIRE(assumed_values(other, Feature::kLookup).size() == 2);
    CHECK(assumed_values(other, Feature::kLookup)[0].source == "standard: not given");
}

TEST_CASE("worth/areas of groups are no part of a machine without them") {
    const sim::Machine base = sim::load_machine("bm1684");
    const sim::Machine next = sim::load_machine("okk-next");
    double sum = 0;
    for (const Feature group : GroupSet::every().list()) {
        CHECK(models::energy::area_of(base.params, group).value == 0);
        CHECK(models::energy::area_of(next.params, group).value > 0);
        sum += models::energy::area_of(next.params, group).value;
    }
    CHECK(models::energy::area_of(next.params).total_mm2.value ==
          Approx(models::energy::area_of(base.params).total_mm2.value + sum));
    // 64 lanes of 16 units, 4 channels of 4 products: 16384 of 239 um2.
    CHECK(models::energy::area_of(next.params, Feature::kInt8Mac).value == Approx(16384 * 239e-6));
    // 64 lanes with 8 multipliers of 2536 um2.
    CHECK(models::energy::area_of(next.params, Feature::kRequantise).value ==
          Approx(512 * 2536e-6));
    // 24 bytes a cycle of 2048 um2.
    CHECK(models::energy::area_of(next.params, Feature::kDmaLayout).value == Approx(24 * 2048e-6));
    CHECK(models::energy::area_of(next.params, Feature::kDmaIndex).value == Approx(10000e-6));
    CHECK(models::energy::area_of(next.params, Feature::kInt16Mac).value == Approx(4096 * 150e-6));
    // Two products for each of two channels of 1024 units.
    CHECK(models::energy::area_of(next.params, Feature::kHalfMac).value == Approx(4096 * 1631e-6));
    // Technology parameters do not change a machine's hash.
    CHECK(sim::load_machine("bm1684", {"area.int8_product_um2=239"}).hash() == base.hash());
}

}  // namespace
