// SPDX-License-Identifier: Apache-2.0
// Steps that are command lists: their commands depend on constants alone, up to the point where
// their kernel reads its results.
#include <string>
#include <vector>

#include "sim/graph/builder.h"
#include "sim/machine/machine.h"
#include "sim/planning/machine_plan.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using namespace okksim::tosa;

std::vector<bool> listed_steps(const graph::Graph& graph) {
    const auto plan =
        planning::plan_for_machine(graph, load_machine("bm1684"), planning::PlanOptions{});
    std::vector<bool> listed;
    for (const planning::Step& step : plan.block(graph.entry).steps) listed.push_back(step.listed);
    return listed;
}

/// RESCALE of int8 by a factor for each of four channels.
graph::Graph scaled_per_channel() {
    graph::GraphBuilder b;
    const graph::Shape shape{1, 8, 4};
    const auto x = b.input(DType::kI8, shape, "x");
    const auto factors = b.constant(DType::kI32, {4}, {1 << 30, 1 << 29, 3 << 28, 5 << 27});
    const auto shifts = b.constant(DType::kI8, {4}, {31, 31, 31, 31});
    const auto zero = b.constant(DType::kI8, {1}, {0});
    const RescaleAttributes attributes{.scale32 = true,
                                       .rounding_mode = RoundingMode::kSingleRound,
                                       .per_channel = true,
                                       .input_unsigned = false,
                                       .output_unsigned = false};
    b.output(
        b.add(OpCode::kRescale, attributes, {x, factors, shifts, zero, zero}, DType::kI8, shape));
    return b.finish();
}

}  // namespace

TEST_CASE("a kernel that looks for overflow at its end is a list up to there") {
    graph::GraphBuilder b;
    const graph::Shape shape{4, 64, 32};
    const auto x = b.input(DType::kI32, shape, "x"), y = b.input(DType::kI32, shape, "y");
    b.output(b.add(OpCode::kAdd, NoAttributes{}, {x, y}, DType::kI32, shape));
    CHECK(listed_steps(b.finish()) == std::vector<bool>{true});
}

TEST_CASE("constants per channel are there before the launch") {
    CHECK(listed_steps(scaled_per_channel()) == std::vector<bool>{true});
}

TEST_CASE("a kernel that looks at an operand first issues calls") {
    graph::GraphBuilder b;
    const auto values = b.input(DType::kI8, {1, 16, 8}, "values");
    const auto indices = b.input(DType::kI32, {1, 4}, "indices");
    b.output(b.add(OpCode::kGather, NoAttributes{}, {values, indices}, DType::kI8, {1, 4, 8}));
    CHECK(listed_steps(b.finish()) == std::vector<bool>{false});
}
