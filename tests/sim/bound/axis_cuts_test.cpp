// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/axis_cuts.h"

#include "tests/support/catch.h"

namespace okksim::sim::bound {
namespace {

TEST_CASE("windows read all of an axis, or leave inputs out") {
    CHECK(reads_all({.input = 8, .output = 8, .taps = 3, .before = 1}));
    CHECK(reads_all({.input = 8, .output = 4, .taps = 2, .step = 2}));
    // Every second input.
    CHECK_FALSE(reads_all({.input = 7, .output = 4, .taps = 1, .step = 2}));
    // 0, 2, 4 of 5.
    CHECK_FALSE(reads_all({.input = 5, .output = 1, .taps = 3, .spacing = 2}));
}

TEST_CASE("without padding there is nothing to cut for") {
    CHECK(axis_cuts({.input = 8, .output = 6, .taps = 3}) == std::vector<AxisCut>{{{6, 3}}});
}

TEST_CASE("outputs at padded ends may be pieces of their own with fewer taps") {
    const auto cuts = axis_cuts({.input = 8, .output = 8, .taps = 3, .before = 1});
    REQUIRE(cuts.size() == 4);
    CHECK(cuts[0] == AxisCut{{8, 3}});
    CHECK(cuts[1] == AxisCut{{1, 2}, {7, 3}});
    CHECK(cuts[2] == AxisCut{{7, 3}, {1, 2}});
    CHECK(cuts[3] == AxisCut{{1, 2}, {6, 3}, {1, 2}});
}

TEST_CASE("one input under nine taps meets one of them") {
    CHECK(axis_cuts({.input = 1, .output = 1, .taps = 3, .before = 1}) ==
          std::vector<AxisCut>{{{1, 1}}});
}

TEST_CASE("too many padded outputs stand for one piece with the fewest taps") {
    // Five outputs before and behind miss taps; the first meets 6 of 11.
    CHECK(axis_cuts({.input = 20, .output = 20, .taps = 11, .before = 5}) ==
          std::vector<AxisCut>{{{20, 6}}});
}

}  // namespace
}  // namespace okksim::sim::bound
