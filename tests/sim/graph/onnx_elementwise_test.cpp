// SPDX-License-Identifier: Apache-2.0
// ONNX: element-wise operators, and what they refuse.
#include <cmath>

#include "tests/sim/graph/onnx_node.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

using namespace onnx;
using Catch::Matchers::Approx;
using Catch::Matchers::Contains;
using Numbers = std::vector<double>;

Operand whole(const Shape& shape, const Numbers& values, Type type) {
    return {shape, values, type};
}

auto near(const Numbers& expected) { return Approx(expected).margin(1e-5).epsilon(1e-4); }

}  // namespace

TEST_CASE("ONNX: remainders of integers and of real numbers", "[graph][onnx]") {
    const Operand x = whole({4}, {-7, 7, -7, 7}, kInt32), y = whole({4}, {3, 3, -3, -3}, kInt32);
    // The sign of the divisor: -7 = -3 * 3 + 2, 7 = -3 * -3 - 2.
    CHECK(values_of({"Mod", {x, y}}) == Numbers{2, 1, -1, -2});
    CHECK(values_of({"Mod", {x, y}, {attribute("fmod", std::int64_t{1})}}) ==
          Numbers{-1, 1, -1, 1});
    CHECK_THAT(values_of({"Mod",
                          {real({2}, {-4.3, 4.3}), real({2}, {2.1, -2.1})},
                          {attribute("fmod", std::int64_t{1})}}),
               near({-0.1, 0.1}));
    CHECK_THAT(refusal_of({"Mod", {real({1}, {1}), real({1}, {1})}}), Contains("fmod"));
    CHECK(values_of({"Div", {x, y}}) == Numbers{-2, 2, 2, -2});
}

TEST_CASE("ONNX: powers of mixed types have the type of the base", "[graph][onnx]") {
    CHECK(values_of({"Pow", {whole({3}, {1, 2, 3}, kInt32), real({3}, {4, 5, 6})}}) ==
          Numbers{1, 32, 729});
    CHECK_THAT(values_of({"Pow", {real({3}, {1, 2, 3}), whole({3}, {4, 5, 6}, kInt64)}}),
               near({1, 32, 729}));
    CHECK(values_of({"Pow", {real({2}, {-3, 4}), known_real({}, {2})}}) == Numbers{9, 16});
    CHECK_THAT(values_of({"Pow", {real({2, 1}, {4, 9}), known_real({2}, {0.5, 1})}}),
               near({2, 4, 3, 9}));
}

TEST_CASE("ONNX: integers keep the width of their type", "[graph][onnx]") {
    // 200 + 100 = 300 = 256 + 44.
    CHECK(values_of({"Add", {whole({1}, {200}, kUint8), whole({1}, {100}, kUint8)}}) ==
          Numbers{44});
    CHECK(values_of({"BitShift",
                     {whole({3}, {16, 4, 255}, kUint8), whole({3}, {1, 2, 1}, kUint8)},
                     {attribute("direction", std::string_view("LEFT"))}}) == Numbers{32, 16, 254});
    CHECK(values_of({"BitwiseXor",
                     {whole({2}, {12, 200}, kUint8), whole({2}, {10, 255}, kUint8)},
                     {},
                     18}) == Numbers{6, 55});
    CHECK(values_of({"BitwiseNot", {whole({2}, {5, -1}, kInt32)}, {}, 18}) == Numbers{-6, 0});
    CHECK(values_of({"Max", {whole({2}, {200, 1}, kUint8), whole({2}, {100, 2}, kUint8)}}) ==
          Numbers{200, 2});
    CHECK(values_of({"Sign", {whole({3}, {-5, 0, 9}, kInt32)}}) == Numbers{-1, 0, 1});
}

TEST_CASE("ONNX: extrema, sums and means of several operands broadcast", "[graph][onnx]") {
    const Operand x = real({2, 1}, {1, 5}), y = real({3}, {2, 4, 6});
    CHECK(values_of({"Max", {x, y}}) == Numbers{2, 4, 6, 5, 5, 6});
    CHECK(values_of({"Min", {x, y}}) == Numbers{1, 1, 1, 2, 4, 5});
    CHECK(values_of({"Sum", {x, y, y}}) == Numbers{5, 9, 13, 9, 13, 17});
    CHECK_THAT(values_of({"Mean", {x, y}}), near({1.5, 2.5, 3.5, 3.5, 4.5, 5.5}));
    CHECK(values_of({"Sum", {y}}) == Numbers{2, 4, 6});
}

TEST_CASE("ONNX: Clip has attributes until 6 and operands from 11", "[graph][onnx]") {
    const Operand x = real({3}, {-2, 0.5, 3});
    CHECK(values_of({"Clip", {x}, {attribute("min", -1.0), attribute("max", 1.0)}, 6}) ==
          Numbers{-1, 0.5, 1});
    CHECK(values_of({"Clip", {x, known_real({}, {-1})}}) == Numbers{-1, 0.5, 3});
    CHECK(values_of({"Clip", {x, absent(), real({}, {1})}}) == Numbers{-2, 0.5, 1});
    // Limits in the wrong order give the maximum.
    CHECK(values_of({"Clip", {x, known_real({}, {2}), known_real({}, {1})}}) == Numbers{1, 1, 1});
    CHECK(values_of(
              {"Clip",
               {whole({3}, {-9, 3, 9}, kInt8), {{}, {-4}, kInt8, true}, {{}, {4}, kInt8, true}}}) ==
          Numbers{-4, 3, 4});
    CHECK_THAT(refusal_of({"Clip", {x, known_real({2}, {0, 1})}}), Contains("one element"));
}

TEST_CASE("ONNX: activation functions and their defaults", "[graph][onnx]") {
    const Operand x = real({3}, {-2, 0, 2});
    const auto check = [&](const std::string& op, const Numbers& expected, std::int64_t opset = 17,
                           const std::string& domain = "") {
        INFO(op);
        CHECK_THAT(values_of({op, {x}, {}, opset, 1, domain}), near(expected));
    };
    const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
    const auto normal = [](double v) { return 0.5 * v * (1 + std::erf(v / std::sqrt(2.0))); };
    check("LeakyRelu", {-0.02, 0, 2});
    check("Elu", {std::exp(-2.0) - 1, 0, 2});
    check("Celu", {std::exp(-2.0) - 1, 0, 2});
    check("Selu", {1.05070098 * 1.67326324 * (std::exp(-2.0) - 1), 0, 2 * 1.05070098});
    check("HardSigmoid", {0.1, 0.5, 0.9});
    check("HardSwish", {-2 * (1.0 / 6), 0, 2 * (5.0 / 6)});
    check("ThresholdedRelu", {0, 0, 2});
    check("Shrink", {-2, 0, 2});
    check("Softplus", {std::log1p(std::exp(-2.0)), std::log(2.0), 2 + std::log1p(std::exp(-2.0))});
    check("Softsign", {-2.0 / 3, 0, 2.0 / 3});
    check("Mish",
          {-2 * std::tanh(std::log1p(std::exp(-2.0))), 0,
           2 * std::tanh(2 + std::log1p(std::exp(-2.0)))},
          18);
    check("Gelu", {normal(-2), 0, normal(2)}, 20);
    check("Gelu", {normal(-2), 0, normal(2)}, 17, "com.microsoft");
    check("QuickGelu", {-2 * sigmoid(-3.404), 0, 2 * sigmoid(3.404)}, 17, "com.microsoft");
    check("Round", {-2, 0, 2});
    CHECK(values_of({"Round", {real({4}, {0.5, 1.5, 2.5, -1.5})}}) == Numbers{0, 2, 2, -2});
    CHECK_THAT(refusal_of({"Elu", {whole({1}, {1}, kInt32)}}), Contains("real numbers"));
}

TEST_CASE("ONNX: slopes of PRelu", "[graph][onnx]") {
    const Operand x = real({1, 2, 1, 2}, {-1, 2, -3, 4});
    // From operator set 7 on, slopes broadcast from the last dimension.
    CHECK_THAT(values_of({"PRelu", {x, known_real({2, 1, 1}, {0.5, 0.25})}}),
               near({-0.5, 2, -0.75, 4}));
    CHECK_THAT(values_of({"PRelu", {x, known_real({2}, {0.5, 0.25})}, {}, 6}),
               near({-0.5, 2, -0.75, 4}));
    CHECK_THAT(refusal_of({"PRelu", {x, known_real({3}, {1, 1, 1})}}), Contains("broadcasts to"));
}

TEST_CASE("ONNX: Dropout of inference is the identity and drops nothing", "[graph][onnx]") {
    const Operand x = real({2}, {1, 2});
    const auto results = run_node({"Dropout", {x}, {}, 10, 2});
    CHECK(results[0].values == Numbers{1, 2});
    CHECK(results[1].values == Numbers{0, 0});  // before 12, the mask tells dropped elements
    CHECK(run_node({"Dropout", {x}, {}, 13, 2})[1].values == Numbers{1, 1});
    const Operand yes{{}, {1}, kBool, true};
    CHECK(values_of({"Dropout", {x, known_real({}, {0}), yes}}) == Numbers{1, 2});
    CHECK_THAT(refusal_of({"Dropout", {x, known_real({}, {0.5}), yes}}), Contains("training"));
    CHECK_THAT(refusal_of({"Dropout", {x}, {}, 6}), Contains("training"));
}

TEST_CASE("ONNX: triangles, sums along an axis, and tests of numbers", "[graph][onnx]") {
    const Operand x = real({2, 3}, {1, 2, 3, 4, 5, 6});
    CHECK(values_of({"Trilu", {x}}) == Numbers{1, 2, 3, 0, 5, 6});
    CHECK(
        values_of({"Trilu", {x, {{}, {1}, kInt64, true}}, {attribute("upper", std::int64_t{0})}}) ==
        Numbers{1, 2, 0, 4, 5, 6});
    const Operand axis{{}, {1}, kInt32, true};
    CHECK(values_of({"CumSum", {x, axis}}) == Numbers{1, 3, 6, 4, 9, 15});
    CHECK(values_of({"CumSum",
                     {x, axis},
                     {attribute("exclusive", std::int64_t{1}),
                      attribute("reverse", std::int64_t{1})}}) == Numbers{5, 3, 0, 11, 6, 0});
    const double inf = INFINITY;
    CHECK(values_of({"IsNaN", {real({3}, {NAN, 1, inf})}}) == Numbers{1, 0, 0});
    CHECK(values_of({"IsInf",
                     {real({3}, {inf, 1, -inf})},
                     {attribute("detect_negative", std::int64_t{0})}}) == Numbers{1, 0, 0});
}

TEST_CASE("ONNX: the second operand of old operator sets starts at an axis", "[graph][onnx]") {
    const Operand x = real({1, 2, 2}, {1, 2, 3, 4});
    const std::vector<Message> from_one{attribute("broadcast", std::int64_t{1}),
                                        attribute("axis", std::int64_t{1})};
    CHECK(values_of({"Add", {x, known_real({2}, {10, 20})}, from_one, 6}) ==
          Numbers{11, 12, 23, 24});
    CHECK(values_of({"Mul", {x, real({2}, {10, 20})}, from_one, 6}) == Numbers{10, 20, 60, 80});
}

TEST_CASE("ONNX: operands of wrong types are refused", "[graph][onnx]") {
    const Operand x = real({1}, {1}), i = whole({1}, {1}, kInt64), b = whole({1}, {1}, kBool);
    CHECK_THAT(refusal_of({"Add", {x, i}}), Contains("Add") && Contains("one type"));
    CHECK_THAT(refusal_of({"Add", {b, b}}), Contains("numbers"));
    CHECK_THAT(refusal_of({"And", {x, x}}), Contains("bool"));
    CHECK_THAT(refusal_of({"Not", {i}}), Contains("bool"));
    CHECK_THAT(refusal_of({"Where", {x, x, x}}), Contains("bool"));
    CHECK_THAT(refusal_of({"BitShift",
                           {whole({1}, {1}, kInt32), whole({1}, {1}, kInt32)},
                           {attribute("direction", std::string_view("LEFT"))}}),
               Contains("unsigned"));
    CHECK_THAT(refusal_of({"Exp", {i}}), Contains("real numbers"));
    CHECK_THAT(refusal_of({"Sum", {i, i}}), Contains("real numbers"));
    CHECK_THAT(refusal_of({"Add", {x}}), Contains("missing"));
    CHECK_THAT(refusal_of({"Add", {real({2}, {1, 2}), real({3}, {1, 2, 3})}}),
               Contains("dimensions are equal or 1"));
}

}  // namespace okksim::tests
