// SPDX-License-Identifier: Apache-2.0
#include "isa/base/closest_word.h"

#include "tests/support/catch.h"

namespace okksim {

TEST_CASE("the closest word is the one that a slip of the pen makes of another") {
    const std::vector<std::string> known{"bdc.clock_mhz", "gdma.clock_mhz", "chip.lanes"};
    CHECK(closest_word("bdc.clock_mzh", known) == "bdc.clock_mhz");  // two letters exchanged
    CHECK(closest_word("gdma.clok_mhz", known) == "gdma.clock_mhz");
    CHECK(closest_word("chip.lane", known) == "chip.lanes");
    CHECK(closest_word("chip.lanes", known) == "chip.lanes");
    CHECK(closest_word("dram.channels", known).empty());
    CHECK(closest_word("", known).empty());
    CHECK(closest_word(std::string(1000, 'a'), known).empty());
    CHECK(closest_word("rn", {"trace", "run"}) == "run");  // one letter of three differs
    CHECK(closest_word("ab", {"ac"}).empty() == true);     // one letter of two is half the word
    CHECK(did_you_mean("chip.lane", known) == "; did you mean \"chip.lanes\"?");
    CHECK(did_you_mean("memory", known).empty());
}

}  // namespace okksim
