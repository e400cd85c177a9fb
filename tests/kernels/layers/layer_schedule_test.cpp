// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/layer_schedule.h"

#include "tests/support/catch.h"

using namespace okksim::kernels;
using namespace okksim::kernels::layers;

namespace {

SectionTimes times(const std::vector<int>& compute) {
    SectionTimes result;
    for (const int time : compute) result.compute.emplace_back(time);
    result.transfer.resize(compute.size());
    return result;
}

LoadRequest request(std::int64_t units, int needed) {
    return {.units = units, .setup = Duration{2}, .unit_time = Duration{10}, .needed = needed};
}

}  // namespace

TEST_CASE("units go to the first sections with slack") {
    // One unit takes 12, two take 22: section 1 has space for one, section 2 for two.
    SectionTimes sections = times({0, 21, 22, 100});
    const auto loads = deal_out(request(3, 4), 0, sections);
    REQUIRE(loads.size() == 2);
    CHECK(loads[0].section == 1);
    CHECK(loads[0].first == 0);
    CHECK(loads[0].count == 1);
    CHECK(loads[1].section == 2);
    CHECK(loads[1].first == 1);
    CHECK(loads[1].count == 2);
    CHECK(sections.transfer[1] == Duration{12});
    CHECK(sections.transfer[2] == Duration{22});
    CHECK(sections.transfer[3] == Duration{0});
}

TEST_CASE("what finds no slack goes where least is missing, before it is needed") {
    SectionTimes sections = times({0, 5, 3, 100});
    const auto loads = deal_out(request(2, 3), 0, sections);
    REQUIRE(loads.size() == 1);
    CHECK(loads[0].section == 1);
    CHECK(loads[0].count == 2);
    CHECK(sections.transfer[1] == Duration{22});
}

TEST_CASE("a rest joins the units of its section, and units stay in order") {
    // Sections 1 and 2 take one unit each. The third unit is 1 late in section 2, 8 in section 1.
    SectionTimes sections = times({0, 12, 21});
    const auto loads = deal_out(request(3, 3), 0, sections);
    REQUIRE(loads.size() == 2);
    CHECK(loads[0].section == 1);
    CHECK(loads[0].first == 0);
    CHECK(loads[0].count + loads[1].count == 3);
    CHECK(loads[1].section == 2);
    CHECK(loads[1].first == loads[0].count);
}

TEST_CASE("the first section with slack for a unit") {
    SectionTimes sections = times({0, 11, 12, 100});
    CHECK(first_with_slack(request(5, 4), 0, sections) == 2);  // 12 at least, not 11
    CHECK(first_with_slack(request(5, 2), 0, sections) == 1);  // none: the last possible section
}

TEST_CASE("what a request adds to the sections is what finds no slack") {
    // One unit of 12 fits section 1; two take 22, of which section 2 has 15, so 7 are added.
    const SectionTimes sections = times({0, 12, 15});
    CHECK(added_time(request(1, 3), 0, sections) == Duration{0});
    CHECK(added_time(request(2, 3), 2, sections) == Duration{7});
    SectionTimes late = times({0, 5});
    late.transfer[1] = Duration{9};  // already late by 4: the whole unit is added
    CHECK(added_time(request(1, 2), 1, late) == Duration{12});
}
