// SPDX-License-Identifier: Apache-2.0
// Storage order of results: channel first for operators on feature maps, row major elsewhere.
#include "sim/planning/storage_order.h"

#include "sim/graph/builder.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::tosa;
using sim::graph::GraphBuilder;
using sim::graph::TensorIndex;
using sim::planning::StorageOrder;

const sim::graph::Shape kMap{1, 4, 4, 8};

/// Order of the result of `op` on a value that is stored in `order`.
StorageOrder order_after(OpCode op, StorageOrder order) {
    GraphBuilder b;
    TensorIndex x = b.input(DType::kFp32, kMap);
    // A convolution's result is channel first, the block's input is not.
    if (order == StorageOrder::kChannelFirst) {
        x = b.add(OpCode::kConv2d, NoAttributes{}, {x}, DType::kFp32, kMap);
    }
    const TensorIndex result = b.add(op, NoAttributes{}, {x}, DType::kFp32, kMap);
    b.output(b.add(OpCode::kIdentity, NoAttributes{}, {result}, DType::kFp32, kMap));
    const sim::graph::Graph graph = b.finish();
    const auto orders = sim::planning::choose_orders(graph.main());
    for (const sim::graph::Operator& added : graph.main().operators) {
        if (added.outputs[0] == result) return orders[result];
    }
    FAIL("no operator");
    return order;
}

constexpr auto kRow = StorageOrder::kRowMajor;
constexpr auto kFirst = StorageOrder::kChannelFirst;

}  // namespace

TEST_CASE("feature maps are stored channel first") {
    for (const OpCode op :
         {OpCode::kAvgPool2d, OpCode::kConv2d, OpCode::kConv3d, OpCode::kDepthwiseConv2d,
          OpCode::kMaxPool2d, OpCode::kTransposeConv2d, OpCode::kResize}) {
        INFO(op_name(op));
        CHECK(order_after(op, kRow) == kFirst);
        CHECK(order_after(op, kFirst) == kFirst);
    }
}

TEST_CASE("element-wise results and moved data are stored like what they come from") {
    for (const OpCode op :
         {OpCode::kClamp, OpCode::kAdd, OpCode::kMul, OpCode::kTable, OpCode::kExp,
          OpCode::kGreater, OpCode::kCast, OpCode::kRescale, OpCode::kConcat, OpCode::kPad,
          OpCode::kSlice, OpCode::kTile, OpCode::kReverse, OpCode::kIdentity}) {
        INFO(op_name(op));
        CHECK(order_after(op, kRow) == kRow);
        CHECK(order_after(op, kFirst) == kFirst);
    }
}

TEST_CASE("results that are no feature maps are stored row major") {
    for (const OpCode op : {OpCode::kMatmul, OpCode::kReshape, OpCode::kTranspose,
                            OpCode::kReduceSum, OpCode::kReduceMax, OpCode::kArgmax,
                            OpCode::kGather, OpCode::kScatter, OpCode::kFft2d, OpCode::kCustom}) {
        INFO(op_name(op));
        CHECK(order_after(op, kRow) == kRow);
        CHECK(order_after(op, kFirst) == kRow);
    }
}

TEST_CASE("a second operand counts where it has the result's shape, a broadcast one does not") {
    // ADD of a row-major operand of the shape `first` and a convolution's result of the shape
    // `second`. A common storage order exists only if neither operand repeats a dimension.
    const auto order_of_sum = [](const sim::graph::Shape& first, const sim::graph::Shape& second) {
        GraphBuilder b;
        const TensorIndex x = b.input(DType::kFp32, first);
        const TensorIndex y = b.input(DType::kFp32, second);
        const TensorIndex map = b.add(OpCode::kConv2d, NoAttributes{}, {y}, DType::kFp32, second);
        const TensorIndex sum = b.add(OpCode::kAdd, NoAttributes{}, {x, map}, DType::kFp32, kMap);
        b.output(b.add(OpCode::kIdentity, NoAttributes{}, {sum}, DType::kFp32, kMap));
        const sim::graph::Graph graph = b.finish();
        return sim::planning::choose_orders(graph.main())[sum];
    };
    CHECK(order_of_sum(kMap, kMap) == kFirst);
    CHECK(order_of_sum({1, 1, 1, 8}, kMap) == kFirst);
    CHECK(order_of_sum(kMap, {1, 1, 1, 8}) == kRow);
}
