// SPDX-License-Identifier: Apache-2.0
// The bound of graphs whose least time is known term by term.
#include "sim/bound/reachable_bound.h"

#include "sim/graph/builder.h"
#include "tests/support/catch.h"

namespace okksim {
namespace {

using sim::Machine;
using sim::bound::ReachableBound;
using sim::graph::Graph;
using sim::graph::GraphBuilder;
using sim::graph::Shape;
using tosa::DType;
using tosa::OpCode;

ReachableBound bound_of(const Graph& graph, const Machine& machine) {
    return sim::bound::reachable_bound(sim::bound::scope_of(graph), machine);
}

Graph sum_of_two(const Shape& shape) {
    GraphBuilder builder;
    const auto a = builder.input(DType::kFp32, shape);
    const auto b = builder.input(DType::kFp32, shape);
    builder.output(builder.add(OpCode::kAdd, tosa::NoAttributes{}, {a, b}, DType::kFp32, shape));
    return builder.finish();
}

/// Units that take whole microseconds: what is not set is free.
Machine plain_machine(const std::vector<std::string>& settings) {
    std::vector<std::string> all{"mcu.clock_mhz=1",
                                 "mcu.initialize_cycles=0",
                                 "mcu.poll_cycles=0",
                                 "mcu.command_cycles=0",
                                 "mcu.integer_operation_cycles=0",
                                 "gdma.clock_mhz=1",
                                 "gdma.setup_cycles=0",
                                 "bdc.clock_mhz=1",
                                 "bdc.startup_cycles=0",
                                 "dram.read_latency_nanoseconds=0",
                                 "dram.write_latency_nanoseconds=0"};
    all.insert(all.end(), settings.begin(), settings.end());
    return sim::load_machine("bm1684", all);
}

TEST_CASE("commands of a sum: two loads, one addition, one store") {
    // The fourth is written at 40 us, and stores.
    const ReachableBound bound =
        bound_of(sum_of_two({1, 4, 4, 64}), plain_machine({"mcu.command_cycles=10"}));
    CHECK(bound.issue.microseconds() == Approx(40).epsilon(0.01));
}

TEST_CASE("vectors of a sum by the cost of an addition") {
    // 64 lanes x 16 units: 64 * 32 * 32 elements are 64 vectors of 2 cycles.
    const ReachableBound bound = bound_of(sum_of_two({1, 32, 32, 64}), plain_machine({}));
    CHECK(bound.compute.microseconds() == Approx(128).epsilon(0.05));
}

TEST_CASE("an uncut sum waits for its operands, and its result for it") {
    // Loads of 64 KiB at 64 bytes a cycle: 1024 us each; the sum 32 us; the store 1024 us. A cut
    // of the sum alone leaves whole loads and a whole store: no command costs anything, so all are
    // cut, and the bound is that of the data mover.
    const Graph graph = sum_of_two({1, 16, 16, 64});
    const ReachableBound free = bound_of(graph, plain_machine({}));
    CHECK(free.memory.microseconds() == Approx(3 * 1024).epsilon(0.01));
    CHECK(free.time() == free.memory);
    // Commands of 10 ms: no cut pays, and the way is all of it behind the first command.
    const ReachableBound dear = bound_of(graph, plain_machine({"mcu.command_cycles=10000"}));
    CHECK(dear.issue.microseconds() >= 40000);
    CHECK(dear.path >= dear.issue);
}

TEST_CASE("a convolution in slots of channels, groups of pixels and passes over channels") {
    GraphBuilder builder;
    const auto image = builder.input(DType::kFp32, {1, 7, 7, 64});
    const auto weights = builder.constant({65, 1, 1, 64}, std::vector<float>(65 * 64, 1.0f));
    const auto bias = builder.constant({65}, std::vector<float>(65, 1.0f));
    const auto zero = builder.constant({1}, {0.0f});
    builder.output(builder.add(
        OpCode::kConv2d, tosa::Conv2dAttributes{{0, 0, 0, 0}, {1, 1}, {1, 1}, false, DType::kFp32},
        {image, weights, bias, zero, zero}, DType::kFp32, {1, 7, 7, 65}));
    // 65 channels are two slots, 49 pixels four groups: 2 * 4 * (64 / 2 + 5) cycles.
    const ReachableBound bound = bound_of(builder.finish(), plain_machine({}));
    CHECK(bound.compute.microseconds() == Approx(2 * 4 * 37).epsilon(0.05));
}

TEST_CASE("what is not computed has no bound") {
    GraphBuilder builder;
    const auto image = builder.input(DType::kFp32, {1, 4, 4, 8});
    builder.output(
        builder.add(OpCode::kIdentity, tosa::NoAttributes{}, {image}, DType::kFp32, {1, 4, 4, 8}));
    const ReachableBound bound = bound_of(builder.finish(), plain_machine({}));
    CHECK(bound.time().value == 0);
    CHECK(std::string(bound.limit()) == "-");
}

}  // namespace
}  // namespace okksim
