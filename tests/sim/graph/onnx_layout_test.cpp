// SPDX-License-Identifier: Apache-2.0
// ONNX: dimension orders. Feature maps change their order at the inputs and outputs only, and
// weights take no memory twice.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "sim/graph/element.h"
#include "tests/sim/graph/onnx_node.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

using namespace onnx;
using sim::graph::ConstantData;
using sim::graph::OpCode;
using Numbers = std::vector<double>;

std::size_t transposes(const std::string& file) {
    const auto graph = read_model(file);
    const auto& operators = graph.main().operators;
    return static_cast<std::size_t>(
        std::count_if(operators.begin(), operators.end(),
                      [](const sim::graph::Operator& op) { return op.op == OpCode::kTranspose; }));
}

/// Adds a 1x1 convolution of two channels that multiplies them by 1 and 2.
void add_scaling(GraphMessage& graph, const std::string& x, const std::string& y) {
    graph.weight(y + ".weights", {2, 2, 1, 1}, std::vector<float>{1, 0, 0, 2});
    graph.add("Conv", {x, y + ".weights"}, {y});
}

/// A network whose second convolution reads a view of the first one's result.
GraphMessage scaled_input() {
    GraphMessage graph;
    graph.input("x", {1, 2, 2, 2});
    add_scaling(graph, "x", "y");
    return graph;
}

const Numbers kInput = counted(8);                 // x[c][p] = 4 c + p
const Numbers kScaled{0, 1, 2, 3, 8, 10, 12, 14};  // y[c][p] = (c + 1) x[c][p]

}  // namespace

TEST_CASE("ONNX: views that keep the channels need no transpose", "[graph][onnx]") {
    GraphMessage graph = scaled_input();
    graph.weight("pixels", {3}, std::vector<std::int64_t>{1, 2, 4});
    graph.weight("map", {4}, std::vector<std::int64_t>{1, 2, 4, 1});
    const std::vector<Message> swap{attribute("perm", std::vector<std::int64_t>{0, 2, 1})};
    graph.add("Reshape", {"y", "pixels"}, {"tokens"}).add("Transpose", {"tokens"}, {"rows"}, swap);
    // The token [1, 2] of position p becomes y[.][p] + [100, 200].
    graph.weight("position", {1, 1, 2}, std::vector<float>{100, 200});
    graph.add("Add", {"rows", "position"}, {"sum"}).add("Transpose", {"sum"}, {"back"}, swap);
    graph.add("Reshape", {"back", "map"}, {"again"});
    add_scaling(graph, "again", "z");
    graph.output("z");
    const auto results = run(model(graph), {kInput});
    CHECK(results[0].shape == Shape{1, 2, 4, 1});
    CHECK(results[0].values == Numbers{100, 101, 102, 103, 416, 420, 424, 428});
    CHECK(transposes(model(graph)) == 2);  // of the input and the output
}

TEST_CASE("ONNX: operands of different orders take the order of most elements", "[graph][onnx]") {
    GraphMessage graph = scaled_input();
    graph.input("more", {1, 3, 2, 2});
    graph.add("Concat", {"y", "more"}, {"z"}, {attribute("axis", std::int64_t{1})}).output("z");
    Numbers expected = kScaled;
    const Numbers more = counted(12, 50);
    expected.insert(expected.end(), more.begin(), more.end());
    CHECK(run(model(graph), {kInput, more})[0].values == expected);
    CHECK(transposes(model(graph)) == 2);  // of x and y, not of 12 elements and the output
}

TEST_CASE("ONNX: weights are scaled and permuted only if their values are needed",
          "[graph][onnx]") {
    constexpr std::int64_t kFilters = 32, kChannels = 4, kTaps = 9;
    std::vector<float> weights(kFilters * kChannels * kTaps), scale(kFilters);
    std::iota(weights.begin(), weights.end(), 0.0F);
    std::iota(scale.begin(), scale.end(), 1.0F);
    GraphMessage graph;
    graph.input("x", {1, kChannels, 3, 3});
    graph.weight("w", {kFilters, kChannels, 3, 3}, weights).add("Conv", {"x", "w"}, {"y"});
    for (const char* name : {"s", "o", "m", "v"}) {
        // Means of 0 and variances of 1.
        const float value = name[0] == 'v' ? 1.0F : 0.0F;
        graph.weight(name, {kFilters},
                     name[0] == 's' ? scale : std::vector<float>(kFilters, value));
    }
    graph.add("BatchNormalization", {"y", "s", "o", "m", "v"}, {"z"}, {attribute("epsilon", 0.0)});
    graph.output("z");
    const auto result = read_model(model(graph));
    const auto& main = result.main();
    const auto convolution = std::find_if(main.operators.begin(), main.operators.end(),
                                          [](const auto& op) { return op.op == OpCode::kConv2d; });
    REQUIRE(convolution != main.operators.end());
    const ConstantData& data = main.input(*convolution, 1).data;
    CHECK(data.deferred() != nullptr);
    std::size_t large = 0;
    for (const auto& tensor : main.tensors) large += tensor.data.size() >= 4096 ? 1 : 0;
    CHECK(large == 1);
    // Element [o][h][w][i] is (o + 1) times w[o][i][h][w].
    for (std::uint64_t at : {0, 1, 5, 37, 700, 1151}) {
        const std::uint64_t o = at / 36, tap = at % 36 / 4, i = at % 4;
        const float expected = weights[36 * o + 9 * i + tap] * scale[o];
        float got = 0;
        std::memcpy(&got, data.bytes().data() + 4 * at, 4);
        CHECK(got == expected);
    }
}

TEST_CASE("ONNX: weights of 1x1 windows stay in the file", "[graph][onnx]") {
    GraphMessage graph;
    graph.input("x", {1, 64, 2, 2}).weight("w", {64, 64, 1, 1}, std::vector<float>(4096));
    graph.add("Conv", {"x", "w"}, {"y"}).output("y");
    const auto result = read_model(model(graph));
    std::size_t views = 0;
    for (const auto& tensor : result.main().tensors) {
        if (tensor.data.size() != 4 * 4096) continue;
        views += tensor.data.is_view() ? 1 : 100;
    }
    CHECK(views == 1);
}

}  // namespace okksim::tests
