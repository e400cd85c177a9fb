// SPDX-License-Identifier: Apache-2.0
// Operations in the operators' definitions, counted by hand on small shapes.
#include "sim/execution/operator_work.h"

#include "sim/graph/builder.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::tosa;
using sim::graph::GraphBuilder;
using sim::graph::Shape;
using sim::graph::TensorIndex;

/// Useful operations of an operator on fp32 tensors.
double operations(OpCode op, Attributes attributes, const std::vector<Shape>& inputs,
                  const Shape& output) {
    GraphBuilder builder;
    std::vector<TensorIndex> operands;
    for (const Shape& shape : inputs) operands.push_back(builder.input(DType::kFp32, shape));
    builder.output(builder.add(op, std::move(attributes), operands, DType::kFp32, output));
    const sim::graph::Graph graph = builder.finish();
    return sim::execution::useful_operations(graph.main(), graph.main().operators.back()).value();
}
double operations(OpCode op, const std::vector<Shape>& inputs, const Shape& output) {
    return operations(op, NoAttributes{}, inputs, output);
}

}  // namespace

TEST_CASE("convolutions and matrix products do two operations per multiply-accumulate") {
    // 100 results of 3 x 3 x 3 products.
    CHECK(operations(OpCode::kConv2d, {{1, 5, 5, 3}, {4, 3, 3, 3}}, {1, 5, 5, 4}) == 2 * 100 * 27);
    // 64 results of 2 x 3 x 3 x 3 products.
    CHECK(operations(OpCode::kConv3d, {{1, 2, 4, 4, 3}, {4, 2, 3, 3, 3}}, {1, 1, 4, 4, 4}) ==
          2 * 64 * 54);
    // 150 results of 3 x 3 products.
    CHECK(operations(OpCode::kDepthwiseConv2d, {{1, 5, 5, 3}, {3, 3, 3, 2}}, {1, 5, 5, 6}) ==
          2 * 150 * 9);
    // 48 inputs, each multiplied by the 5 x 3 x 3 weights of its channel.
    CHECK(operations(OpCode::kTransposeConv2d, {{1, 4, 4, 3}, {5, 3, 3, 3}}, {1, 6, 6, 5}) ==
          2 * 48 * 45);
    // 42 results of 5 products.
    CHECK(operations(OpCode::kMatmul, {{2, 3, 5}, {2, 5, 7}}, {2, 3, 7}) == 2 * 42 * 5);
}

TEST_CASE("pools do one operation per tap and result, reductions one per element") {
    AvgPool2dAttributes average;
    average.kernel = {3, 2};
    CHECK(operations(OpCode::kAvgPool2d, average, {{1, 4, 3, 3}}, {1, 2, 2, 3}) == 12 * 6);
    MaxPool2dAttributes maximum;
    maximum.kernel = {3, 2};
    CHECK(operations(OpCode::kMaxPool2d, maximum, {{1, 4, 3, 3}}, {1, 2, 2, 3}) == 12 * 6);
    for (const OpCode op :
         {OpCode::kArgmax, OpCode::kReduceAll, OpCode::kReduceAny, OpCode::kReduceMax,
          OpCode::kReduceMin, OpCode::kReduceProduct, OpCode::kReduceSum}) {
        INFO(op_name(op));
        CHECK(operations(op, {{2, 3, 4}}, {2, 1, 4}) == 24);
    }
}

TEST_CASE("Fourier transforms do 5 n log2 n operations, of real input half of them") {
    // 2 transforms of 4 x 8 points.
    CHECK(operations(OpCode::kFft2d, {{2, 4, 8}, {2, 4, 8}}, {2, 4, 8}) == 2 * 5 * 32 * 5);
    CHECK(operations(OpCode::kRfft2d, {{2, 4, 8}}, {2, 4, 5}) == 5 * 32 * 5);
}

TEST_CASE("element-wise operators do one operation per result, moving data is none") {
    for (int number = 1; number <= static_cast<int>(OpCode::kConstShape); ++number) {
        const auto op = static_cast<OpCode>(number);
        const std::string_view section = op_section(op);
        INFO(op_name(op));
        const std::string_view chapter = section.substr(0, section.rfind('.'));
        // Activations, binary, unary, ternary operators, comparisons, RESIZE, type conversions.
        const bool computes = chapter == "2.4" || chapter == "2.5" || chapter == "2.6" ||
                              chapter == "2.7" || chapter == "2.8" || chapter == "2.12" ||
                              chapter == "2.13";
        const bool moves = chapter == "2.10" || chapter == "2.11" || chapter == "2.14";
        if (!computes && !moves) continue;
        CHECK(operations(op, {{2, 3}, {2, 3}}, {2, 3}) == (computes ? 6 : 0));
    }
}
