// SPDX-License-Identifier: Apache-2.0
// ONNX: normalisations and reductions, against naive loops.
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "tests/sim/graph/onnx_node.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

using namespace onnx;
using Catch::Matchers::Approx;
using Catch::Matchers::Contains;
using Numbers = std::vector<double>;

auto close_to(const Numbers& expected) { return Approx(expected).margin(1e-4).epsilon(1e-4); }

const Shape kShape{2, 4, 2, 3};

/// Elements of kShape without a pattern.
Numbers samples() {
    Numbers values;
    for (int i = 0; i < 48; ++i) values.push_back((i * 29 % 47) / 10.0 - 2.3);
    return values;
}

Operand feature_map(bool is_channels_last) {
    Operand x = real(kShape, samples());
    x.is_channels_last = is_channels_last;
    return x;
}

/// Replaces the elements of each group of elements that `key` gives the same number.
Numbers by_groups(const std::function<int(int)>& key,
                  const std::function<void(std::vector<double*>&)>& change) {
    Numbers values = samples();
    std::vector<std::vector<double*>> groups(48);
    for (int i = 0; i < 48; ++i) {
        groups[static_cast<std::size_t>(key(i))].push_back(&values[static_cast<std::size_t>(i)]);
    }
    for (std::vector<double*>& group : groups) {
        if (!group.empty()) change(group);
    }
    return values;
}

void exponentials_over_sum(std::vector<double*>& group) {
    double sum = 0;
    for (double* each : group) sum += std::exp(*each);
    for (double* each : group) *each = std::exp(*each) / sum;
}

void standardise(std::vector<double*>& group) {
    double mean = 0, variance = 0;
    const auto count = static_cast<double>(group.size());
    for (const double* each : group) mean += *each / count;
    for (const double* each : group) variance += (*each - mean) * (*each - mean) / count;
    for (double* each : group) *each = (*each - mean) / std::sqrt(variance + 1e-5);
}

// Element i of kShape: image i / 24, channel i / 6 % 4, row i / 3 % 2, column i % 3.
int channel(int i) { return i / 6 % 4; }

void check_orders(Node node, const Numbers& expected) {
    INFO(node.op);
    for (const bool is_channels_last : {false, true}) {
        node.operands[0] = feature_map(is_channels_last);
        CHECK_THAT(values_of(node), close_to(expected));
    }
}

}  // namespace

TEST_CASE("ONNX: Softmax is along an axis from 13 on, and of a matrix before", "[graph][onnx]") {
    const Numbers columns = by_groups([](int i) { return i / 3; }, exponentials_over_sum);
    const Numbers images = by_groups([](int i) { return i / 24; }, exponentials_over_sum);
    check_orders({"Softmax", {{}}}, columns);
    check_orders({"Softmax", {{}}, {}, 11}, images);
    check_orders({"Softmax", {{}}, {attribute("axis", std::int64_t{3})}, 11}, columns);
    Numbers logarithms = images;
    for (double& each : logarithms) each = std::log(each);
    check_orders({"LogSoftmax", {{}}, {}, 11}, logarithms);
    // The first of equal maxima counts.
    const Operand x = real({1, 2, 2}, {1, 5, 5, 2});
    CHECK(values_of({"Hardmax", {x}, {}, 11}) == Numbers{0, 1, 0, 0});
    CHECK(values_of({"Hardmax", {x}}) == Numbers{0, 1, 1, 0});
}

TEST_CASE("ONNX: batch normalisation with known and run-time parameters", "[graph][onnx]") {
    const Numbers scale{1, 2, 0.5, -1}, bias{0, 1, 2, 3}, mean{0.1, -0.2, 0.3, 0},
        variance{1, 4, 0.25, 2};
    Numbers expected = samples();
    for (int i = 0; i < 48; ++i) {
        const auto c = static_cast<std::size_t>(channel(i));
        double& value = expected[static_cast<std::size_t>(i)];
        value = (value - mean[c]) / std::sqrt(variance[c] + 1e-5) * scale[c] + bias[c];
    }
    for (const bool is_known : {true, false}) {
        std::vector<Operand> operands{{}};
        for (const Numbers& each : {scale, bias, mean, variance}) {
            operands.push_back({{4}, each, kFloat, is_known});
        }
        check_orders({"BatchNormalization", operands, {}, 15}, expected);
        check_orders({"BatchNormalization", operands, {}, 7}, expected);
    }
    const Operand x = feature_map(false), four = known_real({4}, {1, 1, 1, 1});
    const Operand three = known_real({3}, {1, 1, 1});
    CHECK_THAT(refusal_of({"BatchNormalization",
                           {x, four, four, four, four},
                           {attribute("training_mode", std::int64_t{1})}}),
               Contains("BatchNormalization") && Contains("training"));
    CHECK_THAT(refusal_of({"BatchNormalization", {x, four, four, three, four}}),
               Contains("4 elements"));
}

namespace {

/// A 1x1 convolution of two channels with weights (1, 2; 3, 4), and a normalisation of its result.
/// Returns the results and the number of products of the graph.
std::pair<std::vector<Result>, int> normalised_convolution(bool has_second_user) {
    using sim::graph::OpCode;
    GraphMessage graph;
    graph.input("x", {1, 2, 1, 1}).weight("w", {2, 2, 1, 1}, std::vector<float>{1, 2, 3, 4});
    graph.weight("b", {2}, std::vector<float>{1, 0}).weight("s", {2}, std::vector<float>{2, 1});
    graph.weight("o", {2}, std::vector<float>{0, 5}).weight("m", {2}, std::vector<float>{3, 0});
    graph.weight("v", {2}, std::vector<float>{4, 1});
    graph.add("Conv", {"x", "w", "b"}, {"c"});
    graph.add("BatchNormalization", {"c", "s", "o", "m", "v"}, {"y"}, {attribute("epsilon", 0.0)});
    graph.output("y");
    if (has_second_user) graph.add("Neg", {"c"}, {"z"}).output("z");
    int products = 0;
    for (const auto& op : read_model(model(graph)).main().operators) {
        products += op.op == OpCode::kMul ? 1 : 0;
    }
    return {run(model(graph), {{10, 1}}), products};
}

}  // namespace

TEST_CASE("ONNX: a normalisation behind a convolution scales its weights", "[graph][onnx]") {
    // c = (1 * 10 + 2 * 1 + 1, 3 * 10 + 4 * 1) = (13, 34);
    // y = ((13 - 3) / 2 * 2 + 0, (34 - 0) / 1 * 1 + 5) = (10, 39).
    const auto [alone, products] = normalised_convolution(false);
    CHECK_THAT(alone[0].values, close_to({10, 39}));
    CHECK(products == 0);
    const auto [shared, more] = normalised_convolution(true);
    CHECK_THAT(shared[0].values, close_to({10, 39}));
    CHECK_THAT(shared[1].values, close_to({-13, -34}));
    CHECK(more == 1);
}

TEST_CASE("ONNX: instance, group and layer normalisation", "[graph][onnx]") {
    const Operand ones = known_real({4}, {1, 1, 1, 1}), zeros = known_real({4}, {0, 0, 0, 0});
    check_orders({"InstanceNormalization", {{}, ones, zeros}},
                 by_groups([](int i) { return i / 6; }, standardise));
    const std::vector<Message> two{attribute("num_groups", std::int64_t{2})};
    const Numbers groups = by_groups([](int i) { return i / 12; }, standardise);
    check_orders({"GroupNormalization", {{}, ones, zeros}, two, 21}, groups);
    check_orders(
        {"GroupNormalization", {{}, known_real({2}, {1, 1}), known_real({2}, {0, 0})}, two, 18},
        groups);
    const Operand weights = known_real({2, 3}, {1, 2, 1, 1, 1, 1});
    Numbers rows = by_groups([](int i) { return i / 6; }, standardise);
    for (std::size_t i = 0; i < 48; ++i) rows[i] *= i % 6 == 1 ? 2 : 1;
    const std::vector<Message> last_two{attribute("axis", std::int64_t{-2})};
    check_orders({"LayerNormalization", {{}, weights}, last_two}, rows);

    const auto all = run_node(
        {"LayerNormalization", {real({1, 2}, {1, 3}), known_real({2}, {1, 1})}, {}, 17, 3});
    CHECK_THAT(all[1].values, close_to({2}));  // the mean
    CHECK_THAT(all[2].values, close_to({1 / std::sqrt(1 + 1e-5)}));
    CHECK_THAT(refusal_of({"GroupNormalization",
                           {feature_map(false), ones, zeros},
                           {attribute("num_groups", std::int64_t{3})},
                           21}),
               Contains("divides the channels"));
}

TEST_CASE("ONNX: RMS, skip and other normalisations", "[graph][onnx]") {
    // The mean square of 3, 4 is 12.5.
    const Operand x = real({1, 2}, {3, 4}), ones = known_real({2}, {1, 1});
    const double root = std::sqrt(12.5 + 1e-5);
    CHECK_THAT(values_of({"RMSNormalization", {x, ones}, {}, 23}), close_to({3 / root, 4 / root}));
    CHECK_THAT(values_of({"SimplifiedLayerNormalization", {x, ones}}),
               close_to({3 / root, 4 / root}));
    const auto skipped = run_node({"SkipSimplifiedLayerNormalization",
                                   {real({1, 1, 2}, {1, 2}), real({1, 1, 2}, {2, 2}), ones},
                                   {},
                                   17,
                                   1,
                                   "com.microsoft"});
    CHECK_THAT(skipped[0].values, close_to({3 / root, 4 / root}));
    // SkipLayerNormalization: (1 + 2, 2 + 3) has mean 4 and variance 1.
    CHECK_THAT(values_of({"SkipLayerNormalization",
                          {real({1, 1, 2}, {1, 2}), real({1, 1, 2}, {2, 3}), ones},
                          {},
                          17,
                          1,
                          "com.microsoft"}),
               close_to({-1, 1}));
    CHECK_THAT(values_of({"LpNormalization", {x}}), close_to({0.6, 0.8}));
    CHECK_THAT(values_of({"LpNormalization", {x}, {attribute("p", std::int64_t{1})}}),
               close_to({3.0 / 7, 4.0 / 7}));
    // Each channel of 2 has both as neighbours: x / (1 + 1 / 3 * (1 + 4)) for a size of 3.
    CHECK_THAT(values_of({"LRN",
                          {real({1, 2, 1}, {1, 2})},
                          {attribute("size", std::int64_t{3}), attribute("alpha", 1.0),
                           attribute("beta", 1.0)}}),
               close_to({1 / (1 + 5.0 / 3), 2 / (1 + 5.0 / 3)}));
    check_orders({"MeanVarianceNormalization", {{}}},
                 by_groups(&channel, [](std::vector<double*>& group) { standardise(group); }));
}

TEST_CASE("ONNX: reductions keep or drop dimensions in both orders", "[graph][onnx]") {
    const Numbers values = samples();
    const std::vector<Shape> lists{{1}, {2, 3}, {0}, {0, 2, 3}, {3}, {-1, 1}, {0, 1, 2, 3}};
    for (const Shape& axes : lists) {
        std::vector<bool> is_reduced(4);
        for (const std::int64_t axis : axes)
            is_reduced[std::size_t(axis < 0 ? axis + 4 : axis)] = true;
        Shape kept = kShape;
        for (std::size_t i = 0; i < 4; ++i) kept[i] = is_reduced[i] ? 1 : kept[i];
        std::int64_t count = 1;
        for (const std::int64_t size : kept) count *= size;
        Numbers expected(static_cast<std::size_t>(count));
        for (std::int64_t i = 0; i < 48; ++i) {
            const Shape at{i / 24, i / 6 % 4, i / 3 % 2, i % 3};
            std::int64_t to = 0;
            for (std::size_t d = 0; d < 4; ++d) to = to * kept[d] + (is_reduced[d] ? 0 : at[d]);
            expected[static_cast<std::size_t>(to)] += values[static_cast<std::size_t>(i)];
        }
        for (const std::int64_t keeps : {0, 1}) {
            check_orders(
                {"ReduceSum", {{}}, {attribute("axes", axes), attribute("keepdims", keeps)}, 11},
                expected);
        }
    }
}

TEST_CASE("ONNX: kinds and axes of reductions", "[graph][onnx]") {
    const Operand x = real({2, 2}, {3, -4, 1, 2});
    const auto kind = [&](const std::string& op) {
        return values_of({op, {x, known_list({1})}, {}, 18});
    };
    CHECK_THAT(kind("ReduceL1"), close_to({7, 3}));
    CHECK_THAT(kind("ReduceL2"), close_to({5, std::sqrt(5.0)}));
    CHECK_THAT(kind("ReduceMax"), close_to({3, 2}));
    CHECK_THAT(kind("ReduceMin"), close_to({-4, 1}));
    CHECK_THAT(kind("ReduceMean"), close_to({-0.5, 1.5}));
    CHECK_THAT(kind("ReduceProd"), close_to({-12, 2}));
    CHECK_THAT(kind("ReduceSumSquare"), close_to({25, 5}));
    CHECK_THAT(kind("ReduceLogSumExp"), close_to({std::log(std::exp(3) + std::exp(-4)),
                                                  std::log(std::exp(1) + std::exp(2))}));
    CHECK_THAT(values_of({"ReduceLogSum", {real({2}, {1, 3})}}), close_to({std::log(4.0)}));
    const std::vector<Message> noop{attribute("noop_with_empty_axes", std::int64_t{1})};
    CHECK(values_of({"ReduceSum", {x}, noop}) == Numbers{3, -4, 1, 2});
    CHECK(values_of({"ReduceSum", {x}}) == Numbers{2});
    CHECK_THAT(refusal_of({"ReduceSum", {x, known_list({2})}}), Contains("axis"));
    CHECK_THAT(refusal_of({"ReduceMean", {{{1}, {1}, kBool}}}), Contains("numbers"));
}

TEST_CASE("ONNX: positions of extrema", "[graph][onnx]") {
    const Operand x = real({2, 3}, {1, 5, 5, 7, 2, 2});
    const std::vector<Message> columns{attribute("axis", std::int64_t{1}),
                                       attribute("keepdims", std::int64_t{0})};
    CHECK(values_of({"ArgMax", {x}, columns}) == Numbers{1, 0});
    CHECK(values_of({"ArgMin", {x}, columns}) == Numbers{0, 1});
    std::vector<Message> last = columns;
    last.push_back(attribute("select_last_index", std::int64_t{1}));
    CHECK(values_of({"ArgMax", {x}, last}) == Numbers{2, 0});
    CHECK(values_of({"ArgMin", {x}, last}) == Numbers{0, 2});
}

TEST_CASE("ONNX: losses of classes, with weights and ignored samples", "[graph][onnx]") {
    // Logarithms of probabilities of 2 classes for 3 samples; the weights of the classes are 1, 3.
    const Operand x = real({3, 2}, {-1, -2, -3, -4, -5, -6});
    const Operand classes{{3}, {0, 1, 1}, kInt64}, weights = known_real({2}, {1, 3});
    const std::vector<Message> none{attribute("reduction", std::string_view("none"))};
    CHECK_THAT(values_of({"NegativeLogLikelihoodLoss", {x, classes}, none}), close_to({1, 4, 6}));
    CHECK_THAT(values_of({"NegativeLogLikelihoodLoss", {x, classes, weights}, none}),
               close_to({1, 12, 18}));
    // (1 + 12 + 18) / (1 + 3 + 3)
    CHECK_THAT(values_of({"NegativeLogLikelihoodLoss", {x, classes, weights}}),
               close_to({31.0 / 7}));
    CHECK_THAT(values_of({"NegativeLogLikelihoodLoss",
                          {x, classes, weights},
                          {attribute("ignore_index", std::int64_t{0})}}),
               close_to({5}));
    // Softmax of 0, log 3 is 1 / 4, 3 / 4.
    const auto results = run_node({"SoftmaxCrossEntropyLoss",
                                   {real({1, 2}, {0, std::log(3.0)}), {{1}, {1}, kInt32}},
                                   {},
                                   13,
                                   2});
    CHECK_THAT(results[0].values, close_to({-std::log(0.75)}));
    CHECK_THAT(results[1].values, close_to({std::log(0.25), std::log(0.75)}));
    CHECK_THAT(refusal_of({"NegativeLogLikelihoodLoss", {x, {{2}, {0, 1}, kInt64}}}),
               Contains("each sample has a class"));
}

}  // namespace okksim::tests
