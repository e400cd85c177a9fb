// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/bench/turns.h"

#include <vector>

#include "tests/support/catch.h"

namespace {

using namespace okksim::sim;

}  // namespace

TEST_CASE("bench/rounds go on while a bar is missed, eight times as many at most") {
    int rounds = 0;
    const auto round = [&] { ++rounds; };
    bench::take_turns(3, round, [] { return true; });
    CHECK(rounds == 3);
    rounds = 0;
    bench::take_turns(3, round, [&] { return rounds >= 5; });
    CHECK(rounds == 5);
    rounds = 0;
    bench::take_turns(3, round, [] { return false; });
    CHECK(rounds == 24);
}

// Memory that conflicts in the caches keeps its address, so a new measurement needs new memory.
TEST_CASE("bench/a missed bar is measured on new memory") {
    std::vector<int> rounds;  // per generation
    const auto make = [&] {
        rounds.push_back(0);
        return [&] { ++rounds.back(); };
    };
    SECTION("once where it is met") {
        bench::take_turns_anew(3, make, [] { return true; });
        CHECK(rounds == std::vector{3});
    }
    SECTION("until it is met") {
        bench::take_turns_anew(3, make, [&] { return rounds.size() == 2; });
        CHECK(rounds == std::vector{3, 3});
    }
    SECTION("eight times at most") {
        bench::take_turns_anew(1, make, [] { return false; });
        CHECK(rounds == std::vector(8, 1));
    }
}
