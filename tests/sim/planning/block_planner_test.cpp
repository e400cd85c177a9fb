// SPDX-License-Identifier: Apache-2.0
// Steps of a block: values are copied to another storage order only where a kernel requires it.
#include "sim/planning/block_planner.h"

#include "sim/graph/builder.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::tosa;
using sim::graph::GraphBuilder;
using sim::graph::TensorIndex;
using sim::planning::BlockPlan;
using sim::planning::Step;
using sim::planning::StepKind;

const sim::graph::Shape kMap{1, 4, 4, 8};

TensorIndex convolution(GraphBuilder& b, TensorIndex x) {
    return b.add(OpCode::kConv2d, NoAttributes{}, {x}, DType::kFp32, kMap);
}

std::vector<StepKind> kinds(const BlockPlan& plan) {
    std::vector<StepKind> result;
    for (const Step& step : plan.steps) result.push_back(step.kind);
    return result;
}

}  // namespace

TEST_CASE(
    "a map goes from convolution to convolution as it is, and is copied at the block's ends") {
    GraphBuilder b;
    const TensorIndex x = b.input(DType::kFp32, kMap);
    const TensorIndex between = convolution(b, x);
    const TensorIndex last = convolution(b, between);
    b.output(last);
    const sim::graph::Graph graph = b.finish();
    const BlockPlan plan = sim::planning::plan_block(graph.main(), {.fuse = false});
    // Inputs and outputs of a block are row major, feature maps of kernels channel first.
    REQUIRE(kinds(plan) == std::vector{StepKind::kReorder, StepKind::kKernel, StepKind::kKernel,
                                       StepKind::kReorder});
    CHECK(plan.steps[0].inputs[0] == x);
    CHECK(plan.steps[1].inputs[0] == plan.steps[0].outputs[0]);
    CHECK(plan.steps[2].inputs[0] == between);
    CHECK(plan.steps[3].inputs[0] == plan.steps[2].outputs[0]);
    CHECK(plan.steps[3].outputs[0] == last);
}

TEST_CASE("a value that two kernels want in another order is copied once") {
    GraphBuilder b;
    const TensorIndex x = b.input(DType::kFp32, kMap);
    const TensorIndex left = convolution(b, x);
    const TensorIndex right = convolution(b, x);
    b.output(b.add(OpCode::kMatmul, NoAttributes{}, {left, right}, DType::kFp32, kMap));
    const sim::graph::Graph graph = b.finish();
    const BlockPlan plan = sim::planning::plan_block(graph.main(), {.fuse = false});
    REQUIRE(kinds(plan) == std::vector{StepKind::kReorder, StepKind::kKernel, StepKind::kKernel,
                                       StepKind::kKernel});
    CHECK(plan.steps[1].inputs[0] == plan.steps[0].outputs[0]);
    CHECK(plan.steps[2].inputs[0] == plan.steps[0].outputs[0]);
}

TEST_CASE("the declaration of a variable takes no step, reading it takes one") {
    GraphBuilder b;
    const std::uint32_t variable = b.variable("state", DType::kFp32, kMap, {});
    b.add_with_outputs(OpCode::kVariable, VariableAttributes{variable}, {}, {});
    b.output(b.add(OpCode::kVariableRead, VariableAttributes{variable}, {}, DType::kFp32, kMap));
    const sim::graph::Graph graph = b.finish();
    const BlockPlan plan = sim::planning::plan_block(graph.main(), {.fuse = false});
    CHECK(kinds(plan) == std::vector{StepKind::kVariableRead});
}

TEST_CASE("a reduction of one position takes no step where kernels of their own read it") {
    GraphBuilder b;
    const TensorIndex x = b.input(DType::kFp32, kMap);
    const auto reduce = [&](std::int32_t axis, TensorIndex from, const sim::graph::Shape& shape) {
        return b.add(OpCode::kReduceSum, ReduceSumAttributes{axis}, {from}, DType::kFp32, shape);
    };
    // The first dimension has one position.
    const TensorIndex same = reduce(0, x, kMap);
    const TensorIndex sums = reduce(1, same, {1, 1, 4, 8});
    b.output(sums);
    // A result of the block is a copy.
    b.output(reduce(0, x, kMap));
    const sim::graph::Graph graph = b.finish();
    const BlockPlan plan = sim::planning::plan_block(graph.main(), {.fuse = false});
    REQUIRE(kinds(plan) == std::vector{StepKind::kKernel, StepKind::kKernel});
    CHECK(plan.steps[0].inputs[0] == x);
    CHECK(plan.steps[0].outputs[0] == sums);
    CHECK(plan.steps[1].inputs[0] == x);
    CHECK(plan.unstored.count(same) == 1);
}
