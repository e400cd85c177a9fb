// SPDX-License-Identifier: Apache-2.0
// The bound of graphs whose minimum time is known term by term.
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
using sim::graph::TensorIndex;
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

/// A machine whose units take whole microseconds; costs that are not set are zero.
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
    // The fourth command is written at 40 us, and stores.
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
    // Loads of 64 KiB at 64 bytes a cycle take 1024 us each, the sum 32 us, the store 1024 us.
    // Cutting only the sum leaves whole loads and a whole store. Commands cost no time, so every
    // operator is cut and the GDMA determines the bound.
    const Graph graph = sum_of_two({1, 16, 16, 64});
    const ReachableBound free = bound_of(graph, plain_machine({}));
    CHECK(free.memory.microseconds() == Approx(3 * 1024).epsilon(0.01));
    CHECK(free.time() == free.memory);
    // With commands of 10 ms no cut pays, and the critical path is everything after the first
    // command.
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

Graph depthwise(const Shape& shape) {
    GraphBuilder builder;
    const auto image = builder.input(DType::kFp32, shape);
    const std::int64_t c = shape[3];
    const auto weights =
        builder.constant({3, 3, c, 1}, std::vector<float>(static_cast<std::size_t>(9 * c), 1.0f));
    const auto bias = builder.constant({c}, std::vector<float>(static_cast<std::size_t>(c), 1.0f));
    const auto zero = builder.constant({1}, {0.0f});
    builder.output(builder.add(
        OpCode::kDepthwiseConv2d,
        tosa::DepthwiseConv2dAttributes{{1, 1, 1, 1}, {1, 1}, {1, 1}, false, DType::kFp32},
        {image, weights, bias, zero, zero}, DType::kFp32, shape));
    return builder.finish();
}

TEST_CASE("maps of several channels pass element by element, or once more to be turned") {
    // 64 x 64 pixels of 64 channels are 2^18 elements: 2^14 us to load at 64 bytes a cycle, and
    // 2^14 us to store. That is the total if pieces cost nothing. If a piece costs a cycle, single
    // elements as pieces add 2^18 us each way. A copy in the other order is loaded and stored once
    // more: 2^15 us plus its pieces and its transposition.
    const Graph graph = depthwise({1, 64, 64, 64});
    const double moved = 2 * 16384;
    const auto memory = [&](const char* piece_cycles) {
        return bound_of(graph, plain_machine({piece_cycles, "gdma.realign_cycles_per_beat=0"}))
            .memory.microseconds();
    };
    CHECK(memory("gdma.piece_cycles=0") < 1.1 * moved);
    CHECK(memory("gdma.piece_cycles=1") > 2 * moved);
    CHECK(memory("gdma.piece_cycles=1") < moved + 2 * 262144);
    // One channel has the same layout in lanes and in memory.
    const Graph plane = depthwise({1, 64, 64, 1});
    const auto of_plane = [&](const char* piece_cycles) {
        return bound_of(plane, plain_machine({piece_cycles})).memory.microseconds();
    };
    CHECK(of_plane("gdma.piece_cycles=1") == of_plane("gdma.piece_cycles=0"));
}

/// A convolution of one tap, an operator `between`, and a convolution that reads every second
/// pixel.
Graph every_second(OpCode between, std::int64_t channels, tosa::Attributes attributes) {
    GraphBuilder b;
    const auto zero = b.constant({1}, {0.0f});
    const auto convolved = [&](TensorIndex from, std::int64_t in, std::int32_t step) {
        const std::int64_t extent = step == 1 ? 7 : 4;
        return b.add(
            OpCode::kConv2d,
            tosa::Conv2dAttributes{{0, 0, 0, 0}, {step, step}, {1, 1}, false, DType::kFp32},
            {from,
             b.constant({64, 1, 1, in},
                        std::vector<float>(static_cast<std::size_t>(64 * in), 1.0f)),
             b.constant({64}, std::vector<float>(64, 1.0f)), zero, zero},
            DType::kFp32, {1, extent, extent, 64});
    };
    const auto first = convolved(b.input(DType::kFp32, {1, 7, 7, 64}), 64, 1);
    std::vector<TensorIndex> operands(static_cast<std::size_t>(channels / 64), first);
    const auto middle =
        b.add(between, std::move(attributes), operands, DType::kFp32, {1, 7, 7, channels});
    b.output(convolved(middle, channels, 2));
    return b.finish();
}

TEST_CASE("what a part of is wanted, and what is behind it, counts") {
    // Four whole rows of seven pixels are two groups: 2 * (64 / 2 + 5) cycles of the first
    // convolution. The second one has 16 pixels in one group and twice the channels: 128 / 2 + 5.
    const ReachableBound joined =
        bound_of(every_second(OpCode::kConcat, 128, tosa::ConcatAttributes{3}), plain_machine({}));
    CHECK(joined.compute.microseconds() == Approx(2 * 37 + 69).epsilon(0.05));
    // The bound does not know the rows that a reversal reads, so only the second convolution
    // counts.
    const ReachableBound turned =
        bound_of(every_second(OpCode::kReverse, 64, tosa::ReverseAttributes{1}), plain_machine({}));
    CHECK(turned.compute.microseconds() == Approx(37).epsilon(0.05));
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
