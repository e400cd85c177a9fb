// SPDX-License-Identifier: Apache-2.0
// Runs without data take the same times as runs with data.
#include "sim/execution/timed_graph.h"

#include <cstring>

#include "sim/execution/executor.h"
#include "sim/graph/builder.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/machine_plan.h"
#include "tests/sim/execution/fp32_tensors.h"
#include "tests/support/catch.h"
#include "tests/support/random_layers.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using execution::ExecutionReport;
using execution::LoadedValues;
using graph::GraphBuilder;
using graph::HostTensor;
using tosa::BlockReference;
using tosa::DType;
using tosa::OpCode;

void check_equal(const ExecutionReport& with, const ExecutionReport& without) {
    REQUIRE(!with.fault);
    REQUIRE(!without.fault);
    CHECK(without.end - without.start == with.end - with.start);
    REQUIRE(without.operators.size() == with.operators.size());
    for (std::size_t i = 0; i < with.operators.size(); ++i) {
        CHECK(without.operators[i].share.account.span == with.operators[i].share.account.span);
        CHECK(without.operators[i].bytes_moved == with.operators[i].bytes_moved);
    }
    REQUIRE(without.account.engines.size() == with.account.engines.size());
    for (std::size_t i = 0; i < with.account.engines.size(); ++i) {
        CHECK(without.account.engines[i].by_cause == with.account.engines[i].by_cause);
        CHECK(without.account.engines[i].busy == with.account.engines[i].busy);
    }
    CHECK(without.account.dram.total() == with.account.dram.total());
    CHECK(without.account.event_counts() == with.account.event_counts());
}

/// A loop that takes `n` iterations; `n` is an input.
graph::Graph countdown() {
    GraphBuilder b;
    const BlockReference main{0, 0};
    const auto n = b.input(DType::kFp32, {1}, "n");
    const BlockReference cond = b.begin_block("cond");
    const auto left = b.input(DType::kFp32, {1});
    b.output(b.add(OpCode::kGreater, tosa::NoAttributes{}, {left, b.constant({1}, {0.0F})},
                   DType::kBool, {1}));
    const BlockReference body = b.begin_block("body");
    const auto counter = b.input(DType::kFp32, {1});
    b.output(b.add(OpCode::kAdd, tosa::NoAttributes{}, {counter, b.constant({1}, {-1.0F})},
                   DType::kFp32, {1}));
    b.select_block(main);
    const auto result = b.tensor(DType::kFp32, {1});
    b.add_with_outputs(OpCode::kWhileLoop, tosa::WhileLoopAttributes{{cond, {}}, {body, {}}}, {n},
                       {result});
    b.output(result);
    return b.finish();
}

struct Loop {
    Machine machine = load_machine("bm1684");
    graph::Graph graph = countdown();
    planning::GraphPlan plan = planning::plan_for_machine(graph, machine);

    ExecutionReport run(float turns, LoadedValues& values) {
        Simulation simulation(machine, {});
        execution::GraphExecutor executor(graph, plan, simulation);
        executor.set_input(0, tests::fp32_tensor({1}, {turns}));
        executor.note_loads(values);
        return executor.run();
    }
    ExecutionReport time(const LoadedValues* values) {
        return execution::time_graph(graph, plan, machine,
                                     {.limits = {}, .values = values, .starting = {}});
    }
};

}  // namespace

TEST_CASE("networks take the same times without data, on every machine and in every plan") {
    for (const std::vector<std::string>& settings :
         {std::vector<std::string>{},
          {"mcu.issue=lists"},
          {"chip.lanes=8", "chip.local_memory_bytes=32768"}}) {
        const Machine machine = load_machine("bm1684", settings);
        for (std::uint64_t seed = 1; seed <= 12; ++seed) {
            CAPTURE(seed, settings);
            tests::RandomLayers network(seed);
            const graph::Graph graph = network.make();
            const auto plan = planning::plan_for_machine(graph, machine, {.layers = seed % 2 == 0});
            Simulation simulation(machine, {});
            execution::GraphExecutor executor(graph, plan, simulation);
            for (std::size_t i = 0; i < network.inputs().size(); ++i) {
                executor.set_input(i, network.inputs()[i]);
            }
            check_equal(executor.run(), execution::time_graph(graph, plan, machine, {}));
        }
    }
}

TEST_CASE("a loop goes on as the values of a run say, on other machines too") {
    Loop loop;
    LoadedValues values;
    const ExecutionReport with = loop.run(3, values);
    REQUIRE(values.size() == 4);  // true three times, and false
    check_equal(with, loop.time(&values));
    Loop slow;
    slow.machine = load_machine("bm1684", {"mcu.clock_mhz=100"});
    LoadedValues same;
    check_equal(slow.run(3, same), slow.time(&values));
    CHECK(same == values);
}

TEST_CASE("a fault names the load whose value is missing, its operator and the remedy") {
    Loop loop;
    LoadedValues values;
    (void)loop.run(2, values);
    const ExecutionReport none = loop.time(nullptr);
    REQUIRE(none.fault);
    CHECK(none.fault->function == "run without data");
    CHECK(none.fault->argument == "load 1 (1 bytes) of operator 0 WHILE_LOOP");
    CHECK(none.fault->advice.find("--keep-values v.json, then --no-data") != std::string::npos);
    values.pop_back();
    const ExecutionReport short_by_one = loop.time(&values);
    REQUIRE(short_by_one.fault);
    CHECK(short_by_one.fault->argument == "load 3 (1 bytes) of operator 0 WHILE_LOOP");
    values.emplace_back(2);  // a condition has one byte
    const ExecutionReport wrong = loop.time(&values);
    REQUIRE(wrong.fault);
    CHECK(wrong.fault->argument == "load 3 (1 bytes) of operator 0 WHILE_LOOP");
    CHECK(wrong.fault->value == "2 bytes in the values file");
}
