// SPDX-License-Identifier: Apache-2.0
// Tiles must cover every point of the space exactly once, fit the limits, and address each operand
// like plain nested loops.
#include "kernels/tiling/nd_tiles.h"

#include <map>
#include <random>
#include <set>

#include "tests/support/catch.h"

namespace {

using namespace okksim::kernels;
using Point = std::array<std::int64_t, kMaxOperands>;

/// Offsets of all operands at every point, by nested loops.
std::multiset<Point> expected_points(const std::vector<std::int32_t>& dims,
                                     const std::vector<NdStrides>& operands) {
    std::multiset<Point> points;
    std::int64_t count = 1;
    for (const std::int32_t dim : dims) count *= dim;
    for (std::int64_t flat = 0; flat < count; ++flat) {
        Point point{};
        std::int64_t rest = flat;
        for (std::size_t i = dims.size(); i-- > 0;) {
            const std::int64_t index = rest % dims[i];
            rest /= dims[i];
            for (std::size_t k = 0; k < operands.size(); ++k) point[k] += index * operands[k][i];
        }
        points.insert(point);
    }
    return points;
}

std::multiset<Point> tile_points(const std::vector<std::int32_t>& dims,
                                 const std::vector<NdStrides>& operands, const NdLimits& limits) {
    std::multiset<Point> points;
    const NdTiling tiling = cut_into_tiles(merged_axes(dims, operands), operands.size(), limits);
    const NdTile largest = tiling.largest();
    std::int64_t tiles = 0;
    for_each_tile(tiling, [&](const NdTile& tile) {
        ++tiles;
        // Callers reserve memory for the largest tile.
        CHECK((tile.c <= largest.c && tile.h <= largest.h && tile.w <= largest.w));
        CHECK(tile.c <= limits.channels);
        CHECK(tile.h * tile.w <= limits.words_per_channel);
        for (std::int64_t c = 0; c < tile.c; ++c) {
            for (std::int64_t h = 0; h < tile.h; ++h) {
                for (std::int64_t w = 0; w < tile.w; ++w) {
                    Point point{};
                    for (std::size_t k = 0; k < operands.size(); ++k) {
                        const auto& o = tile.operands[k];
                        point[k] = o.offset + c * o.c_stride + h * o.h_stride + w * o.w_stride;
                    }
                    points.insert(point);
                }
            }
        }
    });
    CHECK(tiles == tiling.tiles());
    return points;
}

}  // namespace

TEST_CASE("a contiguous space spreads over all lanes") {
    const std::vector<std::int32_t> dims{8, 8, 64};
    const NdStrides dense{512, 64, 1};
    int tiles = 0;
    const std::vector<NdAxis> axes = merged_axes(dims, std::vector<NdStrides>{dense, dense});
    for_each_tile(cut_into_tiles(axes, 2, {64, 64, 1024}), [&](const NdTile& tile) {
        // 4096 elements over 64 lanes: one tile of 64 elements in each.
        ++tiles;
        CHECK(tile.c == 64);
        CHECK(tile.h * tile.w == 64);
    });
    CHECK(tiles == 1);
}

TEST_CASE("what an axis cut for the lanes leaves over has no more rows than the largest tile") {
    // 21331 is 55 pieces of 384 and one of 211; more than two rows of 211 would fit 960 words.
    const std::vector<std::int32_t> dims{10, 21331};
    const std::vector<NdStrides> operands{{0, 1}, {21331, 1}, {21331, 1}};
    const NdLimits limits{64, 64, 960, 64};
    CHECK(tile_points(dims, operands, limits) == expected_points(dims, operands));
}

TEST_CASE("pieces of an axis are of equal size, for as few tiles as possible") {
    // 4096 elements on 8 lanes of 100 words: 6 tiles, 48 pieces. No number of pieces from 36 to 48
    // divides 4096, so a piece has ceil(4096 / 48) = 86 elements.
    const std::vector<NdStrides> operands{NdStrides{1}};
    const NdTiling tiling =
        cut_into_tiles(merged_axes(std::vector<std::int32_t>{4096}, operands), 1,
                       {.lanes = 8, .channels = 8, .words_per_channel = 100});
    CHECK(tiling.largest().w == 86);
    CHECK(tiling.largest().c == 8);
}

TEST_CASE("a number of pieces nearby that leaves no rest saves a tile") {
    // 700 elements on 8 lanes: eight pieces of 88 leave a remainder, seven of 100 leave none.
    const std::vector<NdStrides> operands{NdStrides{1}};
    const NdTiling tiling = cut_into_tiles(merged_axes(std::vector<std::int32_t>{700}, operands), 1,
                                           {.lanes = 8, .channels = 8, .words_per_channel = 100});
    CHECK(tiling.tiles() == 1);
    CHECK(tiling.largest().w == 100);
    CHECK(tiling.largest().c == 7);
}

TEST_CASE("no more than a quarter of the lanes is given up for pieces without a rest") {
    // 100 elements on 8 lanes: 8, 7 and 6 do not divide them, 5 would leave three lanes idle.
    const std::vector<NdStrides> operands{NdStrides{1}};
    const NdTiling tiling = cut_into_tiles(merged_axes(std::vector<std::int32_t>{100}, operands), 1,
                                           {.lanes = 8, .channels = 8, .words_per_channel = 100});
    CHECK(tiling.largest().w == 13);
}

TEST_CASE("pieces without a rest must fit into a channel") {
    // 78 elements on 8 lanes of 10 words: six pieces of 13 would be too long, so seven of 10 and 8.
    const std::vector<NdStrides> operands{NdStrides{1}};
    const NdTiling tiling = cut_into_tiles(merged_axes(std::vector<std::int32_t>{78}, operands), 1,
                                           {.lanes = 8, .channels = 8, .words_per_channel = 10});
    CHECK(tiling.tiles() == 2);
    CHECK(tiling.largest().w == 10);
    CHECK(tiling.largest().c == 7);
}

TEST_CASE("a quarter of the lanes is given up for pieces without a rest") {
    // 102 elements on 8 lanes: 8 and 7 do not divide them, 6 pieces of 17 leave two lanes idle.
    const std::vector<NdStrides> operands{NdStrides{1}};
    const NdTiling tiling = cut_into_tiles(merged_axes(std::vector<std::int32_t>{102}, operands), 1,
                                           {.lanes = 8, .channels = 8, .words_per_channel = 100});
    CHECK(tiling.tiles() == 1);
    CHECK(tiling.largest().w == 17);
    CHECK(tiling.largest().c == 6);
}

TEST_CASE("a tiling takes a word for each of its numbers among a launch's arguments") {
    // With two operands, an axis has three numbers: its extent and two strides. A block has two
    // starts, three axes and the three extents of its tiles: 14. The number of loops precedes them.
    NdTiling tiling;
    tiling.operands = 2;
    tiling.blocks.resize(1);
    CHECK(tiling.argument_words() == 1 + 14);
    tiling.blocks.resize(3);
    tiling.loops.resize(2);
    CHECK(tiling.argument_words() == 1 + 2 * 3 + 3 * 14);
}

TEST_CASE("an axis shorter than two elements for each lane stays whole beside another one") {
    // Rows of 12 elements, 100 apart: 3 channels of 12, not 6 of 2.
    const std::vector<NdStrides> operands{NdStrides{100, 1}};
    const NdTiling tiling =
        cut_into_tiles(merged_axes(std::vector<std::int32_t>{3, 12}, operands), 1,
                       {.lanes = 8, .channels = 8, .words_per_channel = 100});
    CHECK(tiling.tiles() == 1);
    CHECK(tiling.largest().w == 12);
    CHECK(tiling.largest().c == 3);
}

TEST_CASE("an axis that fills half of the lanes is spread over them as it is") {
    for (const std::int32_t channels : {8, 4}) {
        // Rows of 100 elements, 1000 apart: one channel each, none is cut.
        const std::vector<NdStrides> operands{NdStrides{1000, 1}};
        const NdTiling tiling =
            cut_into_tiles(merged_axes(std::vector<std::int32_t>{channels, 100}, operands), 1,
                           {.lanes = 8, .channels = 8, .words_per_channel = 100});
        CHECK(tiling.tiles() == 1);
        CHECK(tiling.largest().w == 100);
        CHECK(tiling.largest().c == channels);
    }
}

TEST_CASE("as many rows of another axis go into a channel as it has room for") {
    // 3 times 8 rows of 50 elements, none contiguous. The 8 rows go over the lanes; two of the 3
    // fit the 100 words of a channel.
    const std::vector<NdStrides> operands{NdStrides{10000, 100, 1}};
    const NdTiling tiling =
        cut_into_tiles(merged_axes(std::vector<std::int32_t>{3, 8, 50}, operands), 1,
                       {.lanes = 8, .channels = 8, .words_per_channel = 100});
    CHECK(tiling.loops.empty());
    CHECK(tiling.tiles() == 2);
    CHECK(tiling.largest().h == 2);
}

TEST_CASE("an axis of two elements for each lane is cut for the lanes") {
    // 3 rows of 16 elements, 100 apart, on 8 lanes: 8 pieces of 2, not 3 channels of 16.
    const std::vector<NdStrides> operands{NdStrides{100, 1}};
    const NdTiling tiling =
        cut_into_tiles(merged_axes(std::vector<std::int32_t>{3, 16}, operands), 1,
                       {.lanes = 8, .channels = 8, .words_per_channel = 100});
    CHECK(tiling.largest().w == 2);
    CHECK(tiling.largest().c == 8);
    CHECK(tiling.largest().h == 3);
}

TEST_CASE("twice as many rows as lanes are runs of two in every lane") {
    // 16 rows of 12 elements, 100 apart, on 8 lanes: one tile, not two of a row each.
    const std::vector<NdStrides> operands{NdStrides{100, 1}};
    const NdTiling tiling =
        cut_into_tiles(merged_axes(std::vector<std::int32_t>{16, 12}, operands), 1,
                       {.lanes = 8, .channels = 8, .words_per_channel = 100});
    CHECK(tiling.tiles() == 1);
    CHECK(tiling.largest().h == 2);
    CHECK(tiling.largest().c == 8);
}

TEST_CASE("fewer rows than two for each lane stay rows of a lane each") {
    // 15 rows of 12 elements, 100 apart, on 8 lanes: runs of two would leave an idle lane and a
    // remainder.
    const std::vector<NdStrides> operands{NdStrides{100, 1}};
    const NdTiling tiling =
        cut_into_tiles(merged_axes(std::vector<std::int32_t>{15, 12}, operands), 1,
                       {.lanes = 8, .channels = 8, .words_per_channel = 100});
    CHECK(tiling.tiles() == 2);
    CHECK(tiling.largest().h == 1);
    CHECK(tiling.largest().c == 8);
}

TEST_CASE("rows of which two do not fit are gone through one by one") {
    // 3 rows of 1000 on 8 lanes of 100 words: pieces of 63, of which two would need 126.
    const std::vector<NdStrides> operands{NdStrides{2000, 1}};
    const NdTiling tiling =
        cut_into_tiles(merged_axes(std::vector<std::int32_t>{3, 1000}, operands), 1,
                       {.lanes = 8, .channels = 8, .words_per_channel = 100});
    REQUIRE(tiling.loops.size() == 1);
    CHECK(tiling.loops[0].extent == 3);
    CHECK(tiling.largest().h == 1);
}

TEST_CASE("rows of which two fit, and three do not, are gone through in twos") {
    // 3 rows of 320 on 8 lanes of 100 words: pieces of 40, of which three would need 120.
    const std::vector<NdStrides> operands{NdStrides{2000, 1}};
    const NdTiling tiling =
        cut_into_tiles(merged_axes(std::vector<std::int32_t>{3, 320}, operands), 1,
                       {.lanes = 8, .channels = 8, .words_per_channel = 100});
    CHECK(tiling.loops.empty());
    CHECK(tiling.largest().w == 40);
    CHECK(tiling.largest().h == 2);
    CHECK(tiling.tiles() == 2);
}

TEST_CASE("axes are merged in the order in which the last operand has them in memory") {
    // One operand, its first axis innermost: 3 x 5 contiguous elements form one axis of 15.
    const std::vector<NdAxis> axes =
        merged_axes(std::vector<std::int32_t>{3, 5}, std::vector<NdStrides>{NdStrides{1, 3}});
    REQUIRE(axes.size() == 1);
    CHECK(axes[0].extent == 15);
}

TEST_CASE("random spaces fit channels of a few words") {
    std::mt19937 random(11);
    const auto pick = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    for (int round = 0; round < 300; ++round) {
        const std::vector<std::int32_t> dims{pick(1, 9), pick(1, 9), pick(1, 40)};
        const NdStrides dense{dims[1] * dims[2], dims[2], 1};
        const NdStrides rows{dims[1], 1, 0};
        const std::vector<NdStrides> operands{dense, rows, dense};
        const NdLimits limits{4, 4, pick(1, 24), pick(1, 8)};
        REQUIRE(tile_points(dims, operands, limits) == expected_points(dims, operands));
    }
}

TEST_CASE("random spaces are covered exactly once") {
    std::mt19937 random(7);
    const auto pick = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    for (int round = 0; round < 300; ++round) {
        const int rank = pick(1, 5);
        std::vector<std::int32_t> dims;
        for (int i = 0; i < rank; ++i) dims.push_back(pick(0, 3) == 0 ? 1 : pick(1, 13));
        std::vector<NdStrides> operands;
        for (int k = 0; k < 3; ++k) {
            std::vector<int> order(static_cast<std::size_t>(rank));
            for (int i = 0; i < rank; ++i) order[static_cast<std::size_t>(i)] = i;
            if (pick(0, 1) == 0) std::shuffle(order.begin(), order.end(), random);
            NdStrides strides = strides_in_order(dims, order);
            if (k != 2) {
                for (auto& stride : strides) stride = pick(0, 4) == 0 ? 0 : stride;
            }
            operands.push_back(strides);
        }
        const std::int32_t lanes = pick(0, 1) == 0 ? 4 : 64;
        const NdLimits limits{lanes, lanes * pick(1, 2), 32 * pick(1, 3), pick(1, 64)};
        REQUIRE(tile_points(dims, operands, limits) == expected_points(dims, operands));
    }
}
