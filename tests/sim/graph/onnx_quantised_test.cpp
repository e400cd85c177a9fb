// SPDX-License-Identifier: Apache-2.0
// ONNX: quantised numbers. real = (number - zero point) * scale.
#include <algorithm>
#include <cmath>

#include "tests/sim/graph/onnx_node.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

using namespace onnx;
using Catch::Matchers::Approx;
using Catch::Matchers::Contains;
using Numbers = std::vector<double>;

auto around(const Numbers& expected) { return Approx(expected).margin(1e-5).epsilon(1e-4); }
/// Integers that differ by at most one step.
auto within_a_step(const Numbers& expected) { return Approx(expected).margin(1.0); }

Operand bytes(const Shape& shape, const Numbers& values, Type type = kUint8) {
    return {shape, values, type};
}
Operand known_bytes(const Shape& shape, const Numbers& values, Type type = kUint8) {
    return {shape, values, type, true};
}
Operand scale(double value) { return known_real({}, {value}); }
Operand zero(double value, Type type = kUint8) { return known_bytes({}, {value}, type); }

double quantised(double real, double step, double zero_point) {
    return std::clamp(std::nearbyint(real / step) + zero_point, 0.0, 255.0);
}

/// Returns true if a tensor of the graph has real numbers.
bool has_reals(const sim::graph::Graph& graph) {
    for (const sim::graph::Tensor& tensor : graph.regions[0].blocks[0].tensors) {
        if (is_floating_point(tensor.type)) return true;
    }
    return false;
}

/// A model DequantizeLinear - op - [Relu] - QuantizeLinear of x [1,1,4] or [1,4] and weights.
GraphMessage island(const Shape& x, const Shape& w, const Numbers& weights, bool has_relu) {
    GraphMessage graph;
    graph.input("x", x, kUint8).output("y", kUint8);
    graph.weight("xs", {}, std::vector<float>{0.5}).weight(tensor("xz", kUint8, 1, {}, {3}));
    graph.weight(tensor("w", kInt8, 1, w, {weights.begin(), weights.end()}));
    graph.weight("ws", {2}, std::vector<float>{0.25, 0.5});
    graph.weight("b", {2}, std::vector<float>{1.25, -2});
    graph.weight("ys", {}, std::vector<float>{0.75}).weight(tensor("yz", kUint8, 1, {}, {10}));
    const bool is_conv = w.size() == 3;
    graph.add("DequantizeLinear", {"x", "xs", "xz"}, {"xr"});
    graph.add("DequantizeLinear", {"w", "ws"}, {"wr"},
              {attribute("axis", std::int64_t{is_conv ? 0 : 1})});
    graph.add(is_conv ? "Conv" : "Gemm", {"xr", "wr", "b"}, {"r"});
    if (has_relu) graph.add("Relu", {"r"}, {"limited"});
    graph.add("QuantizeLinear", {has_relu ? "limited" : "r", "ys", "yz"}, {"y"});
    return graph;
}

}  // namespace

TEST_CASE("ONNX: QuantizeLinear rounds half to even before the zero point", "[graph][onnx]") {
    const Operand x = real({6}, {0, 1, 3, 5, 1000, -1000});
    // Steps 0, 0.5, 1.5, 2.5: 0, 0, 2, 2.
    CHECK(values_of({"QuantizeLinear", {x, scale(2), zero(3)}}) == Numbers{3, 3, 5, 5, 255, 0});
    CHECK(values_of({"QuantizeLinear", {x, scale(2)}}) == Numbers{0, 0, 2, 2, 255, 0});
    CHECK(values_of({"QuantizeLinear", {x, scale(2), zero(0, kInt8)}}) ==
          Numbers{0, 0, 2, 2, 127, -128});
    CHECK(values_of({"QuantizeLinear", {x, scale(2), zero(-7, kInt8)}}) ==
          Numbers{-7, -7, -5, -5, 127, -128});
    // A zero point of run time.
    CHECK(values_of({"QuantizeLinear", {x, real({}, {2}), bytes({}, {3})}}) ==
          Numbers{3, 3, 5, 5, 255, 0});
    CHECK(
        values_of({"QuantizeLinear",
                   {real({2, 2}, {1, 2, 3, 4}), known_real({2}, {1, 2}), known_bytes({2}, {0, 9})},
                   {attribute("axis", std::int64_t{0})}}) == Numbers{1, 2, 11, 11});
}

TEST_CASE("ONNX: DequantizeLinear per tensor, axis and block", "[graph][onnx]") {
    CHECK_THAT(values_of({"DequantizeLinear", {bytes({3}, {0, 128, 255}), scale(0.5), zero(128)}}),
               around({-64, 0, 63.5}));
    CHECK_THAT(values_of({"DequantizeLinear", {bytes({2}, {0, 255}), scale(0.5)}}),
               around({0, 127.5}));
    const Operand matrix = bytes({2, 2}, {1, -2, 3, -4}, kInt8);
    CHECK_THAT(values_of({"DequantizeLinear", {matrix, known_real({2}, {1, 10})}}),
               around({1, -20, 3, -40}));
    const Message axis = attribute("axis", std::int64_t{1});
    const Message block = attribute("block_size", std::int64_t{2});
    for (const bool is_known : {true, false}) {
        Operand scales = real({1, 2}, {1, 10}), x = bytes({1, 3}, {1, 2, 3}, kInt8);
        scales.is_known = is_known;
        CHECK_THAT(values_of({"DequantizeLinear", {x, scales}, {axis, block}, 21}),
                   around({1, 2, 30}));
    }
}

TEST_CASE("ONNX: DynamicQuantizeLinear finds scale and zero point", "[graph][onnx]") {
    // The numbers are not halfway between two steps, where the rounding of the quotient decides.
    const Numbers x{0, 2, -3, -2.4, 1.34, 0.6};
    const auto results = run_node({"DynamicQuantizeLinear", {real({6}, x)}, {}, 17, 3});
    // The range is 5; its low end is 3 / (5 / 255) = 153 steps below zero.
    CHECK_THAT(results[1].values, around({5.0 / 255}));
    CHECK(results[2].values == Numbers{153});
    Numbers expected;
    for (const double each : x) expected.push_back(quantised(each, 5.0 / 255, 153));
    CHECK(results[0].values == expected);
}

TEST_CASE("ONNX: MatMulInteger with zero points of rows and columns", "[graph][onnx]") {
    const Operand a = bytes({2, 2}, {11, 7, 3, 200}), b = bytes({2, 2}, {1, 4, 2, 250});
    // (a - 5) (b - 2): [6 2; -2 195] [-1 2; 0 248].
    CHECK(values_of({"MatMulInteger", {a, b, zero(5), zero(2)}}) == Numbers{-6, 508, 2, 48356});
    CHECK(values_of({"MatMulInteger", {a, b}}) == Numbers{25, 1794, 403, 50012});
    // Rows minus 1 and 2, columns minus 1 and 4: [10 6; 1 198] [0 0; 1 246].
    const Operand rows = known_bytes({2}, {1, 2}), columns = bytes({2}, {1, 4});
    CHECK(values_of({"MatMulInteger", {a, b, rows, columns}}) == Numbers{6, 1476, 198, 48708});
}

TEST_CASE("ONNX: QLinearMatMul and QGemm", "[graph][onnx]") {
    // Sums 6 * 2 + 2 * -3 = 6 and 6 * -1 + 2 * 4 = 2; times 0.5 * 0.25 (or 0.5) / 0.1.
    const Operand a = bytes({1, 2}, {11, 7}), b = known_bytes({2, 2}, {2, -1, -3, 4}, kInt8);
    CHECK_THAT(values_of({"QLinearMatMul",
                          {a, scale(0.5), zero(5), b, known_real({2}, {0.25, 0.5}),
                           known_bytes({2}, {0, 0}, kInt8), scale(0.1), zero(100)}}),
               within_a_step({107.5, 105}));
    const std::vector<Operand> operands{a,
                                        scale(0.5),
                                        zero(5),
                                        b,
                                        scale(0.25),
                                        zero(0, kInt8),
                                        Operand{{2}, {4, -4}, kInt32, true}};
    // (6 + 4) and (2 - 4) times 0.125.
    CHECK_THAT(values_of({"QGemm", operands, {}, 17, 1, "com.microsoft"}), around({1.25, -0.25}));
}

TEST_CASE("ONNX: integer convolutions pad with the zero point", "[graph][onnx]") {
    const Operand x = bytes({1, 1, 3}, {5, 6, 9}), w = known_bytes({2, 1, 2}, {1, 2, 3, 4}, kInt8);
    const Message pads = attribute("pads", std::vector<std::int64_t>{1, 0});
    // x - 5 with a zero before: 0 0 1 4. Kernels 1 2 and 3 4.
    const Numbers sums{0, 2, 9, 0, 4, 19};
    CHECK(values_of({"ConvInteger", {x, w, zero(5)}, {pads}}) == sums);
    CHECK(values_of({"ConvInteger", {x, w, bytes({}, {5})}, {pads}}) == sums);
    // Kernels 1 2 minus 1 and 3 4 minus 5: 0 1 and -2 -1.
    CHECK(values_of({"ConvInteger", {x, w, zero(5), known_bytes({2}, {1, 5}, kInt8)}, {pads}}) ==
          Numbers{0, 1, 4, 0, -1, -6});
    // All operands of run time: kernels 1 2 and 3 4 minus 1.
    CHECK(values_of(
              {"ConvInteger",
               {x, bytes({2, 1, 2}, {1, 2, 3, 4}, kInt8), bytes({}, {5}), bytes({}, {1}, kInt8)},
               {pads}}) == Numbers{0, 1, 4, 0, 3, 14});
    // Times 0.5 * 0.25 / 0.25, plus the bias 2 and 4.
    CHECK_THAT(values_of({"QLinearConv",
                          {x, scale(0.5), zero(5), w, scale(0.25), zero(0, kInt8), scale(0.25),
                           zero(1), Operand{{2}, {2, 4}, kInt32, true}},
                          {pads}}),
               within_a_step({2, 3, 6.5, 3, 5, 12.5}));
}

TEST_CASE("ONNX: quantised functions of com.microsoft", "[graph][onnx]") {
    const Operand a = bytes({2}, {10, 250}), b = bytes({2}, {20, 128});
    const auto result = [](const std::string& op, const std::vector<Operand>& operands,
                           const std::vector<Message>& attributes = {}) {
        return values_of({op, operands, attributes, 17, 1, "com.microsoft"});
    };
    // a: (10 - 8) / 2 = 1 and 121; b: (20 - 28) / 4 = -2 and 25.
    const std::vector<Operand> both{a,           scale(0.5), zero(8),  b,
                                    scale(0.25), zero(28),   scale(1), zero(100)};
    CHECK_THAT(result("QLinearAdd", both), within_a_step({99, 246}));
    CHECK_THAT(result("QLinearMul", both), within_a_step({98, 255}));
    const std::vector<Operand> one{a, scale(0.5), zero(8), scale(1.0 / 256), zero(0)};
    CHECK_THAT(result("QLinearSigmoid", one), within_a_step({256 / (1 + std::exp(-1.0)), 255}));
    const std::vector<Operand> leaky{a, scale(0.5), zero(20), scale(0.5), zero(20)};
    // (10 - 20) / 2 = -5, times 0.2 = -1: 2 steps below 20.
    CHECK(result("QLinearLeakyRelu", leaky, {attribute("alpha", 0.2)}) == Numbers{18, 250});
    const Operand map = bytes({1, 1, 4}, {1, 3, 5, 7});
    const std::vector<Operand> pool{map, scale(1), zero(1), scale(0.5), zero(0)};
    CHECK(result("QLinearAveragePool", pool,
                 {attribute("kernel_shape", std::vector<std::int64_t>{2})}) == Numbers{2, 6, 10});
    CHECK(result("QLinearGlobalAveragePool", pool) == Numbers{6});
    CHECK(result("QLinearConcat", {scale(1), zero(0), a, scale(1), zero(0), b, scale(2), zero(100)},
                 {attribute("axis", std::int64_t{0})}) == Numbers{10, 250, 0, 56});
}

TEST_CASE("ONNX: quantised islands are integer products", "[graph][onnx]") {
    const Numbers x{3, 5, 100, 255}, w{1, -2, 3, 4, 5, -6, 7, 8};
    for (const bool has_relu : {true, false}) {
        for (const bool is_conv : {true, false}) {
            const GraphMessage graph = is_conv ? island({1, 1, 4}, {2, 1, 4}, w, has_relu)
                                               : island({1, 4}, {4, 2}, w, has_relu);
            CHECK_FALSE(has_reals(read_model(model(graph))));
            Numbers expected;
            for (std::size_t m = 0; m < 2; ++m) {
                double sum = 0;
                for (std::size_t i = 0; i < 4; ++i) {
                    sum += (x[i] - 3) * 0.5 * w[is_conv ? 4 * m + i : 2 * i + m];
                }
                sum = sum * (m == 0 ? 0.25 : 0.5) + (m == 0 ? 1.25 : -2);
                expected.push_back(quantised(has_relu ? std::max(sum, 0.0) : sum, 0.75, 10));
            }
            CHECK_THAT(run(model(graph), {x})[0].values, within_a_step(expected));
        }
    }
}

TEST_CASE("ONNX: an island with another user stays real", "[graph][onnx]") {
    GraphMessage graph = island({1, 4}, {4, 2}, {1, -2, 3, 4, 5, -6, 7, 8}, false);
    graph.output("r");
    // (5 - 3) / 2 = 1: the second row of the weights, and the bias.
    const auto results = run(model(graph), {{3, 5, 3, 3}});
    CHECK_THAT(results[1].values, around({3 * 0.25 + 1.25, 4 * 0.5 - 2}));
    CHECK(results[0].values == Numbers{13, 10});
}

TEST_CASE("ONNX: quantised operators refuse wrong scales and zero points", "[graph][onnx]") {
    const Operand x = real({2, 2}, {1, 2, 3, 4});
    CHECK_THAT(refusal_of({"QuantizeLinear", {x, known_real({3}, {1, 1, 1})}}),
               Contains("one per index of axis 1"));
    CHECK_THAT(refusal_of({"QuantizeLinear", {x, scale(1), known_bytes({2}, {0, 0})}}),
               Contains("shape of the scale"));
    CHECK_THAT(refusal_of({"QuantizeLinear", {x, scale(1), zero(0, kInt32)}}),
               Contains("4, 8 or 16 bits"));
    CHECK_THAT(refusal_of({"DequantizeLinear", {bytes({1}, {1}), scale(1), zero(0, kInt8)}}),
               Contains("type uint8"));
    CHECK_THAT(refusal_of({"MatMulInteger", {x, bytes({2, 2}, {1, 2, 3, 4})}}),
               Contains("int8 or uint8"));
    CHECK_THAT(refusal_of({"QLinearMatMul", {bytes({1, 1}, {1}), scale(1), zero(0)}}),
               Contains("missing"));
}

}  // namespace okksim::tests
