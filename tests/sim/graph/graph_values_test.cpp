// SPDX-License-Identifier: Apache-2.0
// Data structures that keep graphs small.
#include "sim/graph/execution_order.h"
#include "sim/graph/graph.h"
#include "sim/graph/name_index.h"
#include "sim/graph/recent_values.h"
#include "tests/support/catch.h"

namespace okksim::sim::graph {
namespace {

TEST_CASE("operators and tensors are small") {
    // A million tiny operators must take at most three times their file; text has about 60 bytes
    // each.
    CHECK(sizeof(Operator) <= 56);
    CHECK(sizeof(Tensor) <= 48);
}

TEST_CASE("lists of tensors keep their order, short and long, when copied and moved") {
    for (const std::size_t size : {0, 1, 3, 4, 100}) {
        std::vector<TensorIndex> wanted;
        for (std::size_t i = 0; i < size; ++i) wanted.push_back(static_cast<TensorIndex>(7 * i));
        TensorList list = wanted;
        const TensorList copy = list;
        const TensorList moved = std::move(list);
        CHECK(std::vector<TensorIndex>(copy) == wanted);
        CHECK(std::vector<TensorIndex>(moved) == wanted);
        list = moved;
        CHECK(std::vector<TensorIndex>(list) == wanted);
        CHECK(list.size() == size);
    }
}

TEST_CASE("a shared value is changed for one owner alone") {
    SharedValue<Shape> first(Shape{1, 2});
    SharedValue<Shape> second = first;
    CHECK(&first.get() == &second.get());
    second.edit().push_back(3);
    CHECK(first.get() == Shape{1, 2});
    CHECK(second.get() == Shape{1, 2, 3});
    CHECK(SharedValue<Shape>().get().empty());
}

TEST_CASE("recent values are shared when they are equal") {
    RecentValues<Shape> recent;
    const auto first = recent.share({4, 5});
    for (std::int64_t i = 0; i < 3; ++i) recent.share({i});
    CHECK(&recent.share({4, 5}).get() == &first.get());
}

TEST_CASE("names are found until they are erased, however they collide") {
    std::vector<std::string> names;
    for (int i = 0; i < 1000; ++i) names.push_back("n" + std::to_string(i));
    const auto name_of = [&names](std::uint32_t i) { return std::string_view(names[i]); };
    NameIndex<decltype(name_of)> index(name_of);
    CHECK_FALSE(index.find("n0"));
    for (std::uint32_t i = 0; i < 1000; ++i) CHECK(index.insert(i));
    CHECK_FALSE(index.insert(3));
    for (std::uint32_t i = 0; i < 1000; i += 3) index.erase(names[i]);
    index.erase("n0");
    for (std::uint32_t i = 0; i < 1000; ++i) {
        const auto found = index.find(names[i]);
        CHECK(found.has_value() == (i % 3 != 0));
        if (found) CHECK(*found == i);
    }
}

TEST_CASE("texts live as long as any copy of the graph") {
    Graph copy;
    Name kept, of_copy;
    {
        Graph graph;
        kept = graph.own_text("first");
        copy = graph;
        of_copy = copy.own_text("second");
        CHECK(graph.own_text("third") == "third");
        CHECK(graph.own_text(std::string(100000, 'x')).size() == 100000);
    }
    CHECK(kept == "first");
    CHECK(of_copy == "second");
}

TEST_CASE("what needs others stands behind them, otherwise as it stood") {
    // 0 needs 2 and 3, which needs 1.
    const std::vector<std::vector<std::uint32_t>> needs{{2, 3}, {}, {}, {1}};
    const auto each = [](const auto& list) {
        return [&list](std::uint32_t i, auto&& visit) {
            for (const std::uint32_t needed : list[i]) visit(needed);
        };
    };
    CHECK(execution_order(4, each(needs)) == std::vector<std::uint32_t>{1, 2, 3, 0});
    // 1 and 2 need each other.
    const std::vector<std::vector<std::uint32_t>> circle{{}, {2}, {1}};
    CHECK(execution_order(3, each(circle)) == std::vector<std::uint32_t>{0});
}

TEST_CASE("an index of names takes positions of any size, with room made before or not") {
    const auto name_of = [](std::uint32_t position) {
        static std::string name;
        return std::string_view(name = "n" + std::to_string(position % 1000));
    };
    for (const std::size_t room : {std::size_t{0}, std::size_t{5000}}) {
        NameIndex<decltype(name_of)> index(name_of);
        index.reserve(room);
        for (std::uint32_t i = 0; i < 500; ++i) CHECK(index.insert(i));
        // Each of these needs more bits than those before it.
        for (const std::uint32_t large : {1000500U, 1000000501U, 4294966502U}) {
            CHECK(index.insert(large));
            CHECK_FALSE(index.insert(large % 1000));
        }
        CHECK(index.find("n500") == 1000500U);
        CHECK(index.find("n501") == 1000000501U);
        CHECK(index.find("n502") == 4294966502U);
        CHECK(index.find("n7") == 7U);
    }
}

}  // namespace
}  // namespace okksim::sim::graph
