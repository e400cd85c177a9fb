// SPDX-License-Identifier: Apache-2.0
// ONNX: operators that move elements, and what they refuse.
#include "tests/sim/graph/onnx_node.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

using namespace onnx;
using Catch::Matchers::Contains;
using Numbers = std::vector<double>;

std::vector<Message> pads_and_mode(const std::vector<std::int64_t>& pads, std::string_view mode) {
    return {attribute("pads", pads), attribute("mode", mode)};
}

/// An operand of int64 that is an input of the graph.
Operand list(const Numbers& values) {
    return {{static_cast<std::int64_t>(values.size())}, values, kInt64};
}

/// Results of a node for an operand in the file's order, and for channels last.
void check_both_orders(Node node, const Numbers& expected) {
    INFO(node.op);
    CHECK(values_of(node) == expected);
    node.operands[0].is_channels_last = true;
    CHECK(values_of(node) == expected);
}

}  // namespace

TEST_CASE("ONNX: Gather at known and run-time indices", "[graph][onnx]") {
    const Operand x = real({2, 3}, counted(6));
    const std::vector<Message> columns{attribute("axis", std::int64_t{1})};
    CHECK(values_of({"Gather", {x, known_list({2, -3})}, columns}) == Numbers{2, 0, 5, 3});
    CHECK(values_of({"Gather", {x, list({2, -3})}, columns}) == Numbers{2, 0, 5, 3});
    const auto scalar = run_node({"Gather", {x, {{}, {1}, kInt64, true}}, columns});
    CHECK(scalar[0].shape == Shape{2});
    CHECK(scalar[0].values == Numbers{1, 4});
    CHECK_THAT(refusal_of({"Gather", {x, known_list({3})}, columns}),
               Contains("Gather") && Contains("-3 to 2"));
    CHECK_THAT(refusal_of({"Gather", {x, real({1}, {0})}}), Contains("int32 or int64"));
    CHECK_THAT(refusal_of({"Gather", {x, known_list({0})}, {attribute("axis", std::int64_t{2})}}),
               Contains("axis"));
}

TEST_CASE("ONNX: GatherElements and GatherND", "[graph][onnx]") {
    const Operand x = real({2, 2}, {1, 2, 3, 4});
    const Operand at{{2, 2}, {0, 0, 1, 0}, kInt64, true};
    CHECK(values_of({"GatherElements", {x, at}, {attribute("axis", std::int64_t{1})}}) ==
          Numbers{1, 1, 4, 3});
    const Operand cube = real({2, 2, 2}, counted(8));
    const Operand pairs{{2, 2}, {0, 1, 1, -2}, kInt64, true};
    CHECK(values_of({"GatherND", {cube, pairs}}) == Numbers{2, 3, 4, 5});
    // With one batch dimension, row b of the indices reads cube[b].
    const Operand rows{{2, 1}, {1, 0}, kInt64};
    CHECK(values_of({"GatherND", {cube, rows}, {attribute("batch_dims", std::int64_t{1})}}) ==
          Numbers{2, 3, 4, 5});
    const Operand deep{{1, 4}, {0, 0, 0, 0}, kInt64, true};
    CHECK_THAT(refusal_of({"GatherND", {cube, deep}}), Contains("last dimension"));
    CHECK_THAT(refusal_of({"GatherND", {cube, {{1, 1}, {2}, kInt64, true}}}), Contains("-2 to 1"));
}

TEST_CASE("ONNX: scatters replace or combine elements", "[graph][onnx]") {
    const Operand x = real({4}, {1, 2, 3, 4});
    const Operand at{{3, 1}, {1, 3, 1}, kInt64, true}, updates = real({3}, {10, 20, 30});
    CHECK(values_of({"ScatterND", {x, at, updates}}) == Numbers{1, 30, 3, 20});
    const auto with = [&](std::string_view reduction) {
        return values_of({"ScatterND", {x, at, updates}, {attribute("reduction", reduction)}, 18});
    };
    CHECK(with("add") == Numbers{1, 42, 3, 24});
    CHECK(with("mul") == Numbers{1, 600, 3, 80});
    CHECK(with("max") == Numbers{1, 30, 3, 20});
    CHECK(with("min") == Numbers{1, 2, 3, 4});
    const Operand row{{1, 2}, {1, -1}, kInt64, true};
    CHECK(values_of({"ScatterElements",
                     {real({1, 4}, {1, 2, 3, 4}), row, real({1, 2}, {8, 9})},
                     {attribute("axis", std::int64_t{1})}}) == Numbers{1, 8, 3, 9});
    CHECK_THAT(refusal_of({"ScatterND", {x, at, real({2}, {10, 20})}}), Contains("updates"));
    CHECK_THAT(
        refusal_of(
            {"ScatterND", {x, at, updates}, {attribute("reduction", std::string_view("mean"))}}),
        Contains("reduction"));
}

TEST_CASE("ONNX: slices with steps", "[graph][onnx]") {
    const Operand x = real({1, 2, 3, 4}, counted(24));
    // Columns 3, 1 of each row: a step of -2 from the end.
    check_both_orders(
        {"Slice", {x, known_list({-1}), known_list({-1e9}), known_list({3}), known_list({-2})}},
        {3, 1, 7, 5, 11, 9, 15, 13, 19, 17, 23, 21});
    check_both_orders(
        {"Slice",
         {x, known_list({1, 0}), known_list({1e15, 2}), known_list({1, 2}), known_list({1, 1})}},
        counted(8, 12));
    CHECK_THAT(
        refusal_of(
            {"Slice", {x, known_list({0}), known_list({1}), known_list({0}), known_list({0})}}),
        Contains("step"));
    CHECK_THAT(refusal_of({"Slice", {x, known_list({0, 0}), known_list({1})}}),
               Contains("one length"));
}

TEST_CASE("ONNX: splits of all operator sets", "[graph][onnx]") {
    const Operand x = real({5}, counted(5));
    const auto sizes = [](const std::vector<Result>& results) {
        Numbers all;
        for (const Result& result : results) all.push_back(double(result.values.size()));
        return all;
    };
    CHECK(sizes(run_node(
              {"Split", {x}, {attribute("split", std::vector<std::int64_t>{1, 4})}, 11, 2})) ==
          Numbers{1, 4});
    CHECK(sizes(run_node({"Split", {x, known_list({3, 2})}, {}, 13, 2})) == Numbers{3, 2});
    // 5 elements in 2 pieces of ceil(5 / 2) = 3; the last piece is smaller.
    CHECK(sizes(run_node({"Split", {x}, {attribute("num_outputs", std::int64_t{2})}, 18, 2})) ==
          Numbers{3, 2});
    CHECK_THAT(refusal_of({"Split", {x}, {}, 13, 2}), Contains("equal parts"));
    CHECK_THAT(refusal_of({"Split", {x, known_list({3, 3})}, {}, 13, 2}), Contains("sum of 5"));
}

TEST_CASE("ONNX: padding in all modes", "[graph][onnx]") {
    const Operand row = real({3}, {1, 2, 3});
    const auto padded = [&](std::string_view mode, std::int64_t before, std::int64_t after) {
        return values_of({"Pad", {row}, pads_and_mode({before, after}, mode), 2});
    };
    CHECK(padded("constant", 1, 2) == Numbers{0, 1, 2, 3, 0, 0});
    CHECK(padded("reflect", 2, 1) == Numbers{3, 2, 1, 2, 3, 2});
    CHECK(padded("edge", 1, 2) == Numbers{1, 1, 2, 3, 3, 3});
    CHECK(padded("wrap", 1, 2) == Numbers{3, 1, 2, 3, 1, 2});
    CHECK(padded("constant", -1, 1) == Numbers{2, 3, 0});
    // Axes are operands from operator set 18 on, and the value may be one of run time.
    const Operand x = real({1, 1, 1, 2}, {1, 2});
    const Operand value = real({}, {9}), known_value = known_real({}, {9});
    for (const Operand& each : {value, known_value}) {
        check_both_orders({"Pad", {x, known_list({1, 0}), each, known_list({-1})}, {}, 18},
                          {9, 1, 2});
    }
    CHECK(values_of({"Pad", {{{2}, {5, 6}, kUint8}, known_list({0, 1})}}) == Numbers{5, 6, 0});
    CHECK_THAT(refusal_of({"Pad", {row}, pads_and_mode({3, 0}, "reflect"), 2}),
               Contains("smaller than the dimension"));
    CHECK_THAT(refusal_of({"Pad", {row, known_list({1})}}), Contains("two numbers"));
    CHECK_THAT(refusal_of({"Pad", {row}, pads_and_mode({1, 1}, "mirror"), 2}), Contains("mode"));
    CHECK_THAT(refusal_of({"Pad", {row, known_list({-2, -2})}}), Contains("0 to 2^40"));
}

TEST_CASE("ONNX: space and depth", "[graph][onnx]") {
    // Channel c of 4 is position (c / 2, c % 2) of a block, for DCR and a depth of 1.
    const Operand x = real({1, 4, 1, 2}, counted(8));
    const std::vector<Message> block{attribute("blocksize", std::int64_t{2})};
    check_both_orders({"DepthToSpace", {x}, block}, {0, 2, 1, 3, 4, 6, 5, 7});
    check_both_orders({"SpaceToDepth", {real({1, 1, 2, 4}, {0, 2, 1, 3, 4, 6, 5, 7})}, block},
                      counted(8));
    CHECK_THAT(refusal_of({"DepthToSpace", {real({1, 3, 1, 1}, {0, 1, 2})}, block}),
               Contains("divides the channels"));
}

TEST_CASE("ONNX: OneHot, TopK, ReverseSequence, Compress, Tile", "[graph][onnx]") {
    const Operand depth{{}, {3}, kInt64, true};
    CHECK(values_of({"OneHot", {list({1, -1, 5}), depth, known_real({2}, {2, 7})}}) ==
          Numbers{2, 7, 2, 2, 2, 7, 2, 2, 2});

    const Operand x = real({5}, {3, 1, 3, 2, 0});
    const auto top = run_node({"TopK", {x, known_list({3})}, {}, 17, 2});
    CHECK(top[0].values == Numbers{3, 3, 2});
    CHECK(top[1].values == Numbers{0, 2, 3});  // the lower index of equal elements is first
    const auto low =
        run_node({"TopK", {x, known_list({2})}, {attribute("largest", std::int64_t{0})}, 17, 2});
    CHECK(low[0].values == Numbers{0, 1});
    CHECK_THAT(refusal_of({"TopK", {x, known_list({6})}, {}, 17, 2}), Contains("size of the axis"));

    const Operand rows = real({2, 3}, counted(6));
    const std::vector<Message> batch_first{attribute("batch_axis", std::int64_t{0}),
                                           attribute("time_axis", std::int64_t{1})};
    for (const bool is_known : {false, true}) {
        Operand lengths = list({2, 3});
        lengths.is_known = is_known;
        CHECK(values_of({"ReverseSequence", {rows, lengths}, batch_first}) ==
              Numbers{1, 0, 2, 5, 4, 3});
    }
    const Operand condition{{3}, {1, 0, 1}, kBool, true};
    CHECK(values_of({"Compress", {rows, condition}, {attribute("axis", std::int64_t{1})}}) ==
          Numbers{0, 2, 3, 5});
    CHECK(values_of({"Compress", {rows, condition}}) == Numbers{0, 2});
    CHECK(values_of({"Tile", {real({1, 2}, {1, 2}), known_list({2, 2})}}) ==
          Numbers{1, 2, 1, 2, 1, 2, 1, 2});
    CHECK_THAT(refusal_of({"Tile", {rows, known_list({2})}}), Contains("each of 2 dimensions"));
    CHECK_THAT(refusal_of({"Tile", {rows, known_list({1e11, 1e11})}}),
               Contains("too many elements"));
    CHECK_THAT(
        refusal_of({"OneHot", {list({0}), {{}, {1e9}, kInt64, true}, known_real({2}, {0, 1})}}),
        Contains("1 to 2^24"));
    // 3 columns become 1: the middle one. 2 rows become 4: one before and one after.
    CHECK(values_of({"CenterCropPad", {rows, known_list({4, 1})}, {}, 18}) == Numbers{0, 1, 4, 0});
}

}  // namespace okksim::tests
