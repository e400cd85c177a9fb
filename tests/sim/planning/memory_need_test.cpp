// SPDX-License-Identifier: Apache-2.0
// The memory bound of a graph is at least the memory of its plan. Unread constants have an address
// and no bytes.
#include "sim/planning/memory_need.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "sim/graph/builder.h"
#include "sim/machine/machine.h"
#include "sim/planning/machine_plan.h"
#include "sim/planning/packed_constants.h"
#include "sim/zoo/zoo.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim;

std::uint64_t planned(const graph::Graph& graph, const planning::PlanEffort& effort) {
    const planning::GraphPlan plan =
        planning::plan_for_machine(graph, load_machine("bm1684"), effort);
    return plan.constant_bytes + plan.variable_bytes + plan.working_bytes;
}

}  // namespace

TEST_CASE("planning/networks need no more memory than was told") {
    for (const char* name : {"bert", "lstm", "mobilenet_v2", "resnet18"}) {
        CAPTURE(name);
        const graph::Graph graph = zoo::build_network(name, {}).graph;
        const std::uint64_t most = planning::memory_need(graph).bytes();
        const std::uint64_t apart = planned(graph, {.fuse = false, .layers = false});
        CHECK(planned(graph, {}) <= most);
        CHECK(apart <= most);
        // The plan gives no separate memory to views; the bound may exceed the plan only by these.
        CHECK(most <= 2 * apart);
    }
}

TEST_CASE("planning/constants that nobody reads are not read") {
    graph::GraphBuilder b;
    const auto x = b.input(tosa::DType::kI32, {2});
    const auto read = b.constant(tosa::DType::kI32, {2}, {1, 2});
    const auto result = b.constant(tosa::DType::kI32, {2}, {3, 4});
    b.constant(tosa::DType::kI32, {2}, {5, 6});
    b.output(b.add(tosa::OpCode::kAdd, tosa::NoAttributes{}, {x, read}, tosa::DType::kI32, {2}));
    b.output(result);
    const planning::GraphPlan plan = planning::plan_for_machine(b.finish(), load_machine("bm1684"));
    REQUIRE(plan.constants.size() == 3);
    std::vector<bool> is_read;
    for (const planning::ConstantImage& constant : plan.constants) {
        is_read.push_back(constant.is_read);
    }
    // Constants appear in the order in which operators need them, then the others in definition
    // order.
    CHECK(is_read == std::vector<bool>{true, true, false});
}

TEST_CASE("planning/constants of which only packed forms are read take no global memory") {
    zoo::ZooOptions options;
    options.precision = zoo::Precision::kInt8;
    options.size = 32;
    options.width = 0.25;
    const graph::Graph graph = zoo::build_network("mobilenet_v2", options).graph;
    const Machine machine = load_machine("okk-next");
    const planning::GraphPlan plan = planning::plan_for_machine(graph, machine);
    std::map<std::uint64_t, std::uint64_t> ranges;  // begin and end
    const auto add = [&](std::uint64_t address, std::uint64_t bytes) {
        if (bytes > 0) ranges[address] = std::max(ranges[address], address + bytes);
    };
    std::uint64_t outside = 0;
    for (const planning::ConstantImage& constant : plan.constants) {
        if (constant.is_read) {
            add(constant.address, constant.value.data.size());
        } else if (constant.address >= plan.memory.end()) {
            outside += constant.value.data.size();
        }
    }
    planning::pack_constants(
        graph, plan, [&](std::uint64_t address, auto bytes) { add(address, bytes.size()); });
    // A width of 0.25 has about 0.25 million weights of a byte in convolutions with 1280 outputs.
    CHECK(outside > 200'000);
    std::uint64_t end = 0;
    for (const auto& [begin, range_end] : ranges) {
        CHECK(begin >= end);
        end = range_end;
    }
    CHECK(end <= plan.memory.end());
    for (const kernels::DeviceTensor& slot : plan.block(graph.entry).slots) {
        if (slot.constant || slot.address == 0) continue;
        const auto after = ranges.upper_bound(slot.address);
        CHECK((after == ranges.begin() || std::prev(after)->second <= slot.address));
    }
    const planning::ConstantFile file = planning::constant_file(graph, plan);
    CHECK(file.bytes == plan.constant_bytes + plan.prepared_bytes);
    CHECK(file.packed > 50);  // weights and biases of more than 25 convolutions
}
