// SPDX-License-Identifier: Apache-2.0
// Bytes that the control processor accesses through pointers, as the report gives them. Expected
// bytes are counted by hand.
#include "sim/execution/operator_profile.h"

#include "kernels/prim/rescale.h"
#include "sim/execution/executor.h"
#include "sim/execution/random_input.h"
#include "sim/graph/builder.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/machine_plan.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using namespace okksim::tosa;
using execution::OperatorRecord;
using graph::GraphBuilder;
using graph::TensorIndex;

/// Runs a graph with random inputs on a small machine.
std::vector<OperatorRecord> run(graph::Graph graph, const std::string& issue = "calls") {
    graph::validate_graph(graph);
    Simulation simulation(load_machine("bm1684", {"chip.lanes=8", "chip.local_memory_bytes=32768",
                                                  "mcu.issue=" + issue}),
                          {});
    const planning::GraphPlan plan =
        planning::plan_for_machine(graph, simulation.machine(), planning::PlanOptions{});
    execution::GraphExecutor executor(graph, plan, simulation);
    const graph::Block& main = graph.main();
    for (std::size_t i = 0; i < main.inputs.size(); ++i) {
        const graph::Tensor& input = main.tensors[main.inputs[i]];
        executor.set_input(i, execution::random_input(input.type, input.shape, i + 1));
    }
    execution::ExecutionReport report = executor.run();
    if (report.fault) throw ProgramFault(*report.fault);
    return report.operators;
}

/// Bytes of all steps for one operator code.
std::uint64_t mcu_bytes(const std::vector<OperatorRecord>& records, OpCode op) {
    std::uint64_t bytes = 0;
    for (const OperatorRecord& record : records) {
        if (record.op == op) bytes += record.mcu_bytes;
    }
    return bytes;
}

constexpr DType kFp32 = DType::kFp32;
constexpr DType kI8 = DType::kI8;
constexpr DType kI32 = DType::kI32;

TensorIndex gather(GraphBuilder& b, TensorIndex values, TensorIndex indices) {
    return b.add(OpCode::kGather, NoAttributes{}, {values, indices}, kFp32, {1, 3, 2});
}

TensorIndex known_indices(GraphBuilder& b) { return b.constant(kI32, {1, 3}, {2, 0, 2}); }

/// The indices of known_indices(), computed at run time.
TensorIndex computed_indices(GraphBuilder& b) {
    const TensorIndex zeros = b.constant(kI32, {1, 3}, {0, 0, 0});
    return b.add(OpCode::kAdd, NoAttributes{}, {known_indices(b), zeros}, kI32, {1, 3});
}

/// RESCALE of int8 to int8 with one factor 2^30 / 2^30 per entry of `channels`.
TensorIndex rescale(GraphBuilder& b, TensorIndex x, graph::Shape shape, int channels) {
    const auto count = static_cast<std::size_t>(channels);
    const RescaleAttributes attributes{.scale32 = true,
                                       .rounding_mode = RoundingMode::kSingleRound,
                                       .per_channel = channels > 1,
                                       .input_unsigned = false,
                                       .output_unsigned = false};
    const auto factors = b.constant(kI32, {channels}, std::vector<std::int64_t>(count, 1 << 30));
    const auto shifts = b.constant(kI8, {channels}, std::vector<std::int64_t>(count, 30));
    const auto zero = b.constant(kI8, {1}, {0});
    return b.add(OpCode::kRescale, attributes, {x, factors, shifts, zero, zero}, kI8,
                 std::move(shape));
}

}  // namespace

TEST_CASE("the control processor touches no byte of an addition") {
    GraphBuilder b;
    const auto x = b.input(kFp32, {2, 3}, "x");
    b.output(b.add(OpCode::kAdd, NoAttributes{}, {x, x}, kFp32, {2, 3}));
    const auto records = run(b.finish());
    REQUIRE(records.size() == 1);
    CHECK(records[0].mcu_bytes == 0);
}

TEST_CASE("a gather reads indices made at run time; constants come with the launch") {
    GraphBuilder b;
    b.output(gather(b, b.input(kFp32, {1, 4, 2}, "values"), computed_indices(b)));
    const auto x = b.input(kI8, {5}, "x");
    const auto table = b.constant(kI8, {256}, std::vector<std::int64_t>(256, 3));
    b.output(b.add(OpCode::kTable, NoAttributes{}, {x, table}, kI8, {5}));
    const auto records = run(b.finish());
    CHECK(mcu_bytes(records, OpCode::kGather) == 12);  // 3 indices of 4 bytes
    CHECK(mcu_bytes(records, OpCode::kTable) == 0);    // the plan knows the entries
    GraphBuilder known;
    known.output(gather(known, known.input(kFp32, {1, 4, 2}, "values"), known_indices(known)));
    CHECK(mcu_bytes(run(known.finish()), OpCode::kGather) == 0);
}

TEST_CASE("a rescale by constants has them prepared, whatever they are per channel") {
    const auto bytes = [](int channels) {
        GraphBuilder b;
        b.output(rescale(b, b.input(kI8, {2, 3}, "x"), {2, 3}, channels));
        return mcu_bytes(run(b.finish()), OpCode::kRescale);
    };
    // Multiplier, shift and zero points are in the plan; rows of three of each are prepared.
    CHECK(bytes(1) == 0);
    CHECK(bytes(3) == 0);
}

TEST_CASE("bytes belong to the innermost step") {
    GraphBuilder b;
    const auto values = b.input(kFp32, {1, 4, 2}, "values");
    const auto condition = b.input(DType::kBool, {1}, "condition");
    const auto branch = [&](const char* name) {
        const BlockReference block = b.begin_block(name);
        b.output(gather(b, b.input(kFp32, {1, 4, 2}), computed_indices(b)));
        return SubGraph{block, {}};
    };
    const SubGraph then_graph = branch("then");
    const SubGraph else_graph = branch("else");
    b.select_block({0, 0});
    b.output(b.add(OpCode::kCondIf, CondIfAttributes{then_graph, else_graph}, {condition, values},
                   kFp32, {1, 3, 2}));
    const auto records = run(b.finish());
    CHECK(mcu_bytes(records, OpCode::kCondIf) == 1);   // the condition
    CHECK(mcu_bytes(records, OpCode::kGather) == 12);  // its indices
}

TEST_CASE("steps beyond the most that are kept count for the one that contains them") {
    execution::OperatorProfile profile(load_machine("bm1684").params);
    constexpr std::size_t kMost = execution::OperatorProfile::kMostRecords;
    profile.launch_started({});
    const std::size_t loop = profile.begin({});
    for (std::size_t i = 1; i < 3 * kMost; ++i) {
        const std::size_t step = profile.begin({});
        // The loop's own record is among them.
        REQUIRE(step == (i < kMost ? i : loop));
        profile.finish(step, models::Picoseconds{static_cast<std::int64_t>(i)});
        REQUIRE(profile.records().size() == std::min(i + 1, kMost));
    }
    CHECK(profile.current() == &profile.records()[loop]);
    profile.finish(loop, models::Picoseconds{});
    CHECK(profile.current() == nullptr);
}

TEST_CASE("every step that is known before comes from its list") {
    // Steps of one kind and shape have equal commands: they take equal times, and less time than
    // the same commands issued by calls.
    const auto durations = [](const std::string& issue) {
        GraphBuilder b;
        TensorIndex x = b.input(kFp32, {1, 16, 16, 8}, "x");
        for (int i = 0; i < 5; ++i) {
            x = b.add(OpCode::kReverse, ReverseAttributes{1}, {x}, kFp32, {1, 16, 16, 8});
        }
        b.output(x);
        std::vector<std::int64_t> times;
        for (const OperatorRecord& record : run(b.finish(), issue)) {
            times.push_back((record.end - record.start).value);
        }
        return times;
    };
    const std::vector<std::int64_t> calls = durations("calls");
    const std::vector<std::int64_t> lists = durations("lists");
    REQUIRE(calls.size() == 5);
    REQUIRE(lists.size() == 5);
    for (std::size_t i = 0; i < lists.size(); ++i) {
        INFO(i);
        if (i > 0) CHECK(lists[i] == lists[1]);  // the first one also waits for the launch
        CHECK(lists[i] < calls[i]);
    }
}
