// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/element_order.h"

#include <set>

#include "tests/support/catch.h"
#include "tests/support/random_source.h"

namespace okksim::sim::bound {
namespace {

/// Gives every subset of 62 elements a different sum.
NeedElement element(std::size_t number, std::vector<std::size_t> before) {
    NeedElement element;
    element.compute.cycles = std::int64_t{1} << number;
    element.traffic.read = std::uint64_t{1} << number;
    element.before = std::move(before);
    return element;
}

/// Sums of all predecessors of each element, found set by set.
std::vector<std::int64_t> cycles_before(const std::vector<NeedElement>& elements) {
    std::vector<std::set<std::size_t>> closures(elements.size());
    std::vector<std::int64_t> sums(elements.size(), 0);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        for (const std::size_t other : elements[i].before) {
            closures[i].insert(other);
            closures[i].insert(closures[other].begin(), closures[other].end());
        }
        for (const std::size_t other : closures[i]) sums[i] += elements[other].compute.cycles;
    }
    return sums;
}

TEST_CASE("a chain with loads of its own: each waits for all but later loads") {
    // Loads 0 and 2, operators 1 (after 0) and 3 (after 1 and 2), store 4.
    const std::vector<NeedElement> elements{element(0, {}), element(1, {0}), element(2, {}),
                                            element(3, {1, 2}), element(4, {3})};
    const ElementOrder all(elements);
    CHECK(all.between(1, 4).compute.cycles == 8);
    CHECK(all.between(0, 4).compute.cycles == 2 + 8);
    CHECK(all.between(2, 3).compute.cycles == 0);
    CHECK(all.of(0).before.compute.cycles == 0);
    CHECK(all.of(0).behind.compute.cycles == 2 + 8 + 16);
    CHECK(all.of(1).before.compute.cycles == 1);
    CHECK(all.of(2).before.compute.cycles == 0);
    CHECK(all.of(2).behind.compute.cycles == 8 + 16);
    CHECK(all.of(3).before.compute.cycles == 1 + 2 + 4);
    CHECK(all.of(4).before.compute.cycles == 1 + 2 + 4 + 8);
    CHECK(all.of(4).behind.compute.cycles == 0);
}

TEST_CASE("elements in any order: what is before and behind is that of all ways") {
    tests::RandomSource random(5);
    for (int round = 0; round < 50; ++round) {
        std::vector<NeedElement> elements;
        const auto count = static_cast<std::size_t>(random.between(1, 60));
        const std::int64_t density = random.between(1, 12);
        for (std::size_t i = 0; i < count; ++i) {
            std::vector<std::size_t> before;
            for (std::size_t other = 0; other < i; ++other) {
                if (random.one_in(static_cast<std::uint64_t>(density))) before.push_back(other);
            }
            elements.push_back(element(i, std::move(before)));
        }
        const ElementOrder all(elements);
        const auto sums = cycles_before(elements);
        for (std::size_t i = 0; i < count; ++i) {
            std::int64_t behind = 0;
            for (std::size_t later = i + 1; later < count; ++later) {
                if ((sums[later] >> i & 1) != 0) behind += elements[later].compute.cycles;
            }
            CHECK(all.of(i).before.compute.cycles == sums[i]);
            CHECK(all.of(i).before.traffic.read == static_cast<std::uint64_t>(sums[i]));
            CHECK(all.of(i).behind.compute.cycles == behind);
            CHECK(all.of(i).behind.traffic.read == static_cast<std::uint64_t>(behind));
        }
    }
}

}  // namespace
}  // namespace okksim::sim::bound
