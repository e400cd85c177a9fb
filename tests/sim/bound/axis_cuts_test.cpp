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

TEST_CASE("inputs that some of the outputs read at least, and how far these reach") {
    // 7 outputs read every second of 14 inputs: 0, 2, .. 12, a reach of 13.
    const WindowSpan steps{.input = 14, .output = 7, .taps = 1, .step = 2};
    CHECK(least_read(steps, 7) == 7);
    CHECK(least_reach(steps, 7) == 13);
    CHECK(least_read(steps, 3) == 3);
    CHECK(least_reach(steps, 3) == 5);
    // Three taps, one zero at either end: two neighbours read 4 inputs, or 3 at an end. The formula
    // subtracts both ends.
    const WindowSpan padded{.input = 8, .output = 8, .taps = 3, .before = 1};
    CHECK(least_read(padded, 8) == 8);
    CHECK(least_read(padded, 2) == 2);
    CHECK(least_read(padded, 0) == 0);
}

TEST_CASE("a part of the outputs is as padded at both ends as the whole") {
    const WindowSpan part = part_of({.input = 8, .output = 8, .taps = 3, .before = 1}, 3);
    CHECK(part == WindowSpan{.input = 3, .output = 3, .taps = 3, .before = 1});
    CHECK(axis_cuts(part).back() == AxisCut{{1, 2}, {1, 3}, {1, 2}});
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
    // Five outputs at either end miss taps; the first one reads 6 of 11.
    CHECK(axis_cuts({.input = 20, .output = 20, .taps = 11, .before = 5}) ==
          std::vector<AxisCut>{{{20, 6}}});
}

}  // namespace
}  // namespace okksim::sim::bound
