// SPDX-License-Identifier: Apache-2.0
// ONNX: operators on known values are computed before the run, so that they may decide shapes.
#include "sim/graph/graph.h"
#include "tests/sim/graph/onnx_node.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

using namespace onnx;
using Numbers = std::vector<double>;

Operand integers(const Shape& shape, const Numbers& values, Type type = kInt64) {
    return {shape, values, type, true};
}

/// Returns the value of a node with known operands. The graph has only its constant.
Numbers folded(Node node) {
    for (Operand& operand : node.operands) operand.is_known = !operand.is_absent;
    const sim::graph::Graph graph = read_model(model_of(node));
    for (const sim::graph::Operator& op : graph.main().operators) {
        const bool is_result =
            op.op == sim::graph::OpCode::kIdentity || op.op == sim::graph::OpCode::kConst ||
            op.op == sim::graph::OpCode::kConcat || op.op == sim::graph::OpCode::kReshape ||
            op.op == sim::graph::OpCode::kConstShape ||
            op.op == sim::graph::OpCode::kArithmeticRightShift;
        CHECK(is_result);
    }
    return values_of(node);
}

}  // namespace

TEST_CASE("ONNX: shape arithmetic on the host", "[graph][onnx]") {
    const Operand x = integers({3}, {-7, 7, 8}), y = integers({3}, {3, -3, 4});
    CHECK(folded({"Add", {x, y}}) == Numbers{-4, 4, 12});
    CHECK(folded({"Div", {x, y}}) == Numbers{-2, -2, 2});
    CHECK(folded({"Mod", {x, y}}) == Numbers{2, -2, 0});
    CHECK(folded({"Max", {x, y}}) == Numbers{3, 7, 8});
    CHECK(folded({"Min", {x, y}}) == Numbers{-7, -3, 4});
    CHECK(folded({"Pow", {x, integers({}, {2})}}) == Numbers{49, 49, 64});
    CHECK(folded({"Where", {integers({3}, {1, 0, 1}, kBool), x, y}}) == Numbers{-7, -3, 8});
    CHECK(folded({"Clip", {x, integers({}, {0})}}) == Numbers{0, 7, 8});
    CHECK(folded({"CumSum", {x, integers({}, {0})}}) == Numbers{-7, 0, 8});
    CHECK(folded({"ReduceProd", {x}}) == Numbers{-392});
    CHECK(folded({"ReduceMax", {x}}) == Numbers{8});
    CHECK(folded({"ReduceSum", {x, known_list({0})}}) == Numbers{8});
    CHECK(folded({"ArgMax", {x}}) == Numbers{2});
    CHECK(folded({"Floor", {real({2}, {1.5, -1.5})}}) == Numbers{1, -2});
}

TEST_CASE("ONNX: moves on the host", "[graph][onnx]") {
    const Operand x = integers({4}, {5, 6, 7, 8}), square = integers({2, 2}, {1, 2, 3, 4});
    CHECK(folded({"Pad", {x, known_list({1, -1})}}) == Numbers{0, 5, 6, 7});
    CHECK(folded({"Pad", {x, known_list({0, 1}), integers({}, {9})}}) == Numbers{5, 6, 7, 8, 9});
    CHECK(folded({"Tile", {square, known_list({1, 2})}}) == Numbers{1, 2, 1, 2, 3, 4, 3, 4});
    CHECK(folded({"Trilu", {square}}) == Numbers{1, 2, 0, 4});
    CHECK(folded({"Compress", {x, integers({3}, {1, 0, 1}, kBool)}}) == Numbers{5, 7});
    CHECK(folded({"ScatterND", {x, integers({2, 1}, {0, -1}), integers({2}, {1, 2})}}) ==
          Numbers{1, 6, 7, 2});
    CHECK(folded({"ScatterElements", {x, integers({1}, {2}), integers({1}, {0})}}) ==
          Numbers{5, 6, 0, 8});
    CHECK(folded({"GatherElements", {x, integers({2}, {3, -4})}}) == Numbers{8, 5});
    CHECK(folded({"GatherND", {square, integers({2, 2}, {0, 1, 1, 0})}}) == Numbers{2, 3});
    CHECK(folded({"GatherND", {square, integers({1, 1}, {1})}}) == Numbers{3, 4});
    CHECK(folded({"Range", {integers({}, {7}), integers({}, {0}), integers({}, {-3})}}) ==
          Numbers{7, 4, 1});
    CHECK(folded({"Split", {x, known_list({1, 3})}, {}, 13, 2}) == Numbers{5});
    CHECK(folded({"TopK", {integers({4}, {2, 9, 9, 1}), known_list({2})}, {}, 17, 2}) ==
          Numbers{9, 9});
    const auto unique = run_node({"Unique", {integers({5}, {3, 1, 3, 2, 1})}, {}, 17, 4});
    CHECK(unique[0].values == Numbers{1, 2, 3});
    CHECK(unique[1].values == Numbers{1, 3, 0});
    CHECK(unique[2].values == Numbers{2, 0, 2, 1, 0});
    CHECK(unique[3].values == Numbers{2, 1, 2});
}

TEST_CASE("ONNX: windows of signal processing", "[graph][onnx]") {
    const Operand four{{}, {4}, kInt64, true};
    // sin^2 of 0, pi / 4, pi / 2, 3 pi / 4.
    CHECK_THAT(values_of({"HannWindow", {four}}),
               Catch::Matchers::Approx(Numbers{0, 0.5, 1, 0.5}).margin(1e-6));
    // The symmetric Hamming window of 3 is 25 / 46 - 21 / 46 cos of 0, pi, 2 pi.
    CHECK_THAT(
        values_of(
            {"HammingWindow", {{{}, {3}, kInt64, true}}, {attribute("periodic", std::int64_t{0})}}),
        Catch::Matchers::Approx(Numbers{4.0 / 46, 1, 4.0 / 46}).margin(1e-6));
}

}  // namespace okksim::tests
