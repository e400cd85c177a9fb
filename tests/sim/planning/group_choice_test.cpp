// SPDX-License-Identifier: Apache-2.0
// The choice of layer groups: few plans for many groups, and no group that makes its block slower.
#include "sim/planning/group_choice.h"

#include "sim/graph/builder.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/block_time.h"
#include "sim/planning/machine_plan.h"
#include "tests/support/catch.h"

namespace okksim {
namespace {

using namespace sim::planning;
using sim::Machine;
using sim::graph::Graph;
using sim::graph::GraphBuilder;
using sim::graph::Shape;
using sim::graph::TensorIndex;
using tosa::DType;
using tosa::OpCode;

constexpr int kParts = 24;

/// Parts of a convolution and a clamp. A REVERSE, which is no layer, ends the group of each part.
Graph parted_graph() {
    const Shape shape{1, 14, 14, 16};
    GraphBuilder builder;
    TensorIndex value = builder.input(DType::kFp32, shape);
    const auto number = [&](const Shape& of) {
        const auto count = *sim::graph::element_count(of);
        return builder.constant_bytes(DType::kFp32, of, std::vector<std::byte>(4 * count));
    };
    const TensorIndex zero = number({1});
    for (int i = 0; i < kParts; ++i) {
        const tosa::Conv2dAttributes window{{1, 1, 1, 1}, {1, 1}, {1, 1}, false, DType::kFp32};
        for (int k = 0; k < 2; ++k) {
            value = builder.add(OpCode::kConv2d, window,
                                {value, number({16, 3, 3, 16}), number({16}), zero, zero},
                                DType::kFp32, shape);
        }
        value =
            builder.add(OpCode::kReverse, tosa::ReverseAttributes{1}, {value}, DType::kFp32, shape);
    }
    builder.output(value);
    Graph graph = builder.finish();
    sim::graph::validate_graph(graph);
    return graph;
}

/// Counts its plans.
struct CountedPlans {
    const Graph& graph;
    const Machine& machine;
    PlanOptions options;
    int count = 0;

    GroupPlanner planner() {
        return [this](const std::vector<LayerGroup>& groups) {
            ++count;
            options.layers = groups;
            return plan_for_machine(graph, machine, options);
        };
    }
};

TEST_CASE("the number of plans does not grow with the number of groups") {
    const Graph graph = parted_graph();
    const Machine machine = sim::load_machine("bm1684", {});
    const GraphPlan chosen = plan_for_machine(graph, machine);
    REQUIRE(chosen.tried.size() == kParts);
    PlanOptions options = chosen.options;
    options.layers.clear();
    CountedPlans counted{graph, machine, options};
    std::vector<TriedGroup> groups = chosen.tried;
    const GraphPlan again = keep_faster_groups(graph, machine, counted.planner(),
                                               plan_for_machine(graph, machine, options), groups);
    // One plan with all groups, one for each round that drops groups, and at most eight trials.
    constexpr int kMostPlans = 1 + 3 + 8;
    CHECK(counted.count <= kMostPlans);
    CHECK(again.options.layers.size() == chosen.options.layers.size());
}

TEST_CASE("a group that makes its block slower is dropped") {
    const Graph graph = parted_graph();
    const Machine machine = sim::load_machine("bm1684", {});
    const GraphPlan chosen = plan_for_machine(graph, machine);
    PlanOptions options = chosen.options;
    options.layers.clear();
    const GraphPlan without = plan_for_machine(graph, machine, options);
    // The planner of this test leaves out the group of the first part, which then saves nothing.
    const GroupPlanner planner = [&](const std::vector<LayerGroup>& groups) {
        PlanOptions own = options;
        for (const LayerGroup& group : groups) {
            if (group.operators != chosen.tried[0].group.operators) own.layers.push_back(group);
        }
        return plan_for_machine(graph, machine, own);
    };
    std::vector<TriedGroup> groups = chosen.tried;
    const GraphPlan plan = keep_faster_groups(graph, machine, planner, without, groups);
    CHECK_FALSE(groups[0].kept);
    CHECK(groups[1].kept);
    CHECK(block_microseconds(graph, plan, graph.entry, machine) <
          block_microseconds(graph, without, graph.entry, machine));
}

TEST_CASE("ends of steps follow one another up to the time of the block") {
    const Graph graph = parted_graph();
    const Machine machine = sim::load_machine("bm1684", {});
    const GraphPlan plan = plan_for_machine(graph, machine);
    const auto time = time_block(graph, plan, graph.entry, machine);
    REQUIRE(time);
    REQUIRE(time->ends.size() == plan.block(graph.entry).steps.size());
    CHECK(std::is_sorted(time->ends.begin(), time->ends.end()));
    CHECK(time->ends.front() > 0);
    // The control processor still returns after the last command.
    CHECK(time->ends.back() <= time->microseconds);
    CHECK(time->ends.back() > 0.9 * time->microseconds);
}

}  // namespace
}  // namespace okksim
