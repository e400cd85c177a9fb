// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "sim/study/search/search_engine.h"
#include "tests/support/catch.h"

extern "C" void okksim_search_engine(const okksim::sim::search::SearchProblem& problem);

namespace {

using okksim::sim::search::Position;
using okksim::sim::search::SearchProblem;
using Objectives = std::vector<double>;

struct Enough {};

/// Returns the points that a search requests, up to `most`.
std::vector<Position> asked_for(const std::vector<std::uint32_t>& sizes, std::size_t objectives,
                                std::uint32_t seed, std::size_t most,
                                const std::function<Objectives(const Position&)>& value) {
    std::vector<Position> asked;
    const auto evaluate = [&](const std::vector<Position>& positions) {
        std::vector<Objectives> values;
        for (const Position& position : positions) {
            if (asked.size() == most) throw Enough();
            asked.push_back(position);
            values.push_back(value(position));
        }
        return values;
    };
    try {
        okksim_search_engine({sizes, objectives, seed, evaluate});
    } catch (const Enough&) {
    }
    return asked;
}

/// Two conflicting objectives along the first axis. The second axis is best at 7; the third has no
/// effect.
Objectives valley(const Position& at) {
    const double off = at[1] > 7 ? at[1] - 7 : 7 - at[1];
    return {at[0] + off, 20.0 - at[0] + off};
}

}  // namespace

TEST_CASE("a search asks for no point twice, and for all of them where they are few") {
    const auto all = asked_for({5, 4, 3}, 2, 1, 1000, [](const Position& at) {
        return Objectives{static_cast<double>(at[0]), static_cast<double>(at[1])};
    });
    const std::set<Position> once(all.begin(), all.end());
    CHECK(once.size() == all.size());
    CHECK(all.size() == 60);
    CHECK(std::ranges::all_of(
        all, [](const Position& at) { return at[0] < 5 && at[1] < 4 && at[2] < 3; }));
}

TEST_CASE("one point is a search, too") {
    CHECK(asked_for({1}, 2, 1, 10, [](const Position&) { return Objectives{1, 1}; }).size() == 1);
}

TEST_CASE("the same seed asks for the same points, another for others") {
    const std::vector<std::uint32_t> sizes{21, 16, 30};
    const auto first = asked_for(sizes, 2, 5, 300, valley);
    CHECK(asked_for(sizes, 2, 5, 300, valley) == first);
    CHECK(asked_for(sizes, 2, 6, 300, valley) != first);
}

TEST_CASE("a search walks along the front") {
    // The Pareto front has 21 values of the first axis, with 7 on the second, out of 10,080 points.
    for (const std::uint32_t seed : {1U, 2U, 3U, 4U, 5U}) {
        std::set<std::uint32_t> found;
        for (const Position& at : asked_for({21, 16, 30}, 2, seed, 500, valley)) {
            if (at[1] == 7) found.insert(at[0]);
        }
        CAPTURE(seed);
        CHECK(found.size() == 21);
    }
}

TEST_CASE("one objective has one best point, and an equal second one does no harm") {
    for (const std::size_t objectives : {1U, 2U}) {
        const auto all = asked_for({40, 40, 40}, objectives, 3, 600, [&](const Position& at) {
            double sum = 0;
            for (const std::uint32_t x : at) sum += (x - 31.0) * (x - 31.0);
            return objectives == 1 ? Objectives{sum} : Objectives{sum, 5};
        });
        CHECK(std::ranges::find(all, Position{31, 31, 31}) != all.end());
    }
}

TEST_CASE("points that there cannot be are left behind") {
    // Only a tenth of the points is valid; the Pareto front is at the border of that part.
    const auto all = asked_for({30, 30, 10}, 2, 2, 2000, [](const Position& at) {
        if (at[2] > 0) return Objectives();
        return Objectives{static_cast<double>(at[0]), 30.0 - at[0] + at[1]};
    });
    std::set<std::uint32_t> found;
    for (const Position& at : all) {
        if (at[2] == 0 && at[1] == 0) found.insert(at[0]);
    }
    CHECK(found.size() == 30);
    // A space without valid points ends the search without a crash.
    const auto none =
        asked_for({30, 30, 10}, 2, 2, 20000, [](const Position&) { return Objectives(); });
    CHECK(none.size() > 100);
}

TEST_CASE("many axes, and objectives of any size") {
    const std::vector<std::uint32_t> sizes(20, 1000);
    const auto all = asked_for(sizes, 3, 1, 400, [](const Position& at) {
        return Objectives{at[0] * 1e12, -1.0 * at[0], at[1] * 1e-12};
    });
    CHECK(all.size() == 400);
}
