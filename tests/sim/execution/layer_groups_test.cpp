// SPDX-License-Identifier: Apache-2.0
// Layer groups give what their operators give in kernels of their own.
#include <cstring>

#include "sim/execution/executor.h"
#include "sim/graph/builder.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/machine_plan.h"
#include "sim/planning/run_step.h"
#include "tests/support/catch.h"
#include "tests/support/random_layers.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using graph::HostTensor;
using tests::RandomLayers;

struct Outcome {
    std::vector<std::vector<float>> outputs;
    double microseconds = 0;
    std::size_t groups = 0;
    std::size_t cut = 0;  ///< groups in slices
};

Outcome run(const graph::Graph& graph, const std::vector<HostTensor>& inputs,
            const Machine& machine, bool layers) {
    const auto plan = planning::plan_for_machine(graph, machine, {.layers = layers});
    Simulation simulation(machine, {});
    execution::GraphExecutor executor(graph, plan, simulation);
    for (std::size_t i = 0; i < inputs.size(); ++i) executor.set_input(i, inputs[i]);
    const execution::ExecutionReport report = executor.run();
    REQUIRE(!report.fault);
    CHECK(report.findings.empty());
    Outcome outcome;
    outcome.microseconds = (report.end - report.start).microseconds();
    for (std::size_t i = 0; i < graph.main().outputs.size(); ++i) {
        const HostTensor output = executor.output(i);
        std::vector<float> values(output.data.size() / sizeof(float));
        std::memcpy(values.data(), output.data.data(), output.data.size());
        outcome.outputs.push_back(std::move(values));
    }
    for (const planning::Step& step : plan.block(graph.entry).steps) {
        if (step.kind != planning::StepKind::kLayers) continue;
        ++outcome.groups;
        const auto& layers = planning::layer_plan_of(step);
        if (!layers.slices.is_whole()) ++outcome.cut;
    }
    return outcome;
}

struct Groups {
    std::size_t all = 0;
    std::size_t cut = 0;  ///< into slices
};

/// Compares both ways on random networks; gives the number of layer groups.
Groups check_networks(const std::vector<std::string>& settings, std::uint64_t first_seed,
                      int cases) {
    const Machine machine = load_machine("bm1684", settings);
    Groups groups;
    for (int i = 0; i < cases; ++i) {
        const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
        CAPTURE(seed, settings);
        RandomLayers network(seed);
        const graph::Graph graph = network.make();
        graph::validate_graph(graph);
        const Outcome resident = run(graph, network.inputs(), machine, true);
        const Outcome stored = run(graph, network.inputs(), machine, false);
        CHECK(stored.groups == 0);
        groups.all += resident.groups;
        groups.cut += resident.cut;
        for (std::size_t k = 0; k < stored.outputs.size(); ++k) {
            // As numbers: zeros of both signs are equal.
            CHECK(resident.outputs[k] == stored.outputs[k]);
        }
        CHECK(resident.microseconds <= stored.microseconds * 1.02);
    }
    return groups;
}

}  // namespace

TEST_CASE("layer groups compute what kernels of their own compute") {
    CHECK(check_networks({}, 1, 60).all > 40);
}

TEST_CASE("parts of a channel slot whose results do not end with a line") {
    // 56 x 56 words are 98 lines, 28 x 28 words 24.5. A pool's scratch for a slot, two planes of
    // each and more, exceeds half of 32 KiB, so it goes by rows; the clamp by words.
    using tosa::DType;
    const graph::Shape shape{1, 56, 56, 4}, half{1, 28, 28, 4};
    graph::GraphBuilder b;
    const auto x = b.input(DType::kFp32, shape);
    tosa::ClampAttributes limits;
    const float low = -1, high = 1;
    std::memcpy(limits.min_val.bytes.data(), &low, sizeof low);
    std::memcpy(limits.max_val.bytes.data(), &high, sizeof high);
    limits.min_val.size = limits.max_val.size = sizeof low;
    const auto clamped = b.add(tosa::OpCode::kClamp, limits, {x}, DType::kFp32, shape);
    const auto pooled =
        b.add(tosa::OpCode::kMaxPool2d, tosa::MaxPool2dAttributes{{2, 2}, {2, 2}, {}, {}},
              {clamped}, DType::kFp32, half);
    b.output(b.add(tosa::OpCode::kAdd, tosa::NoAttributes{}, {pooled, pooled}, DType::kFp32, half));
    const graph::Graph graph = b.finish();
    graph::validate_graph(graph);
    std::vector<float> values(56 * 56 * 4);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7) - 3;
    std::vector<std::byte> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    const std::vector<HostTensor> inputs{
        graph::make_host_tensor(DType::kFp32, shape, std::move(bytes))};
    const Machine machine =
        load_machine("bm1684", {"chip.lanes=4", "chip.local_memory_bytes=32768"});
    const Outcome resident = run(graph, inputs, machine, true);
    CHECK(resident.outputs == run(graph, inputs, machine, false).outputs);
}

TEST_CASE("lists change times, not results") {
    RandomLayers network(7);
    const graph::Graph graph = network.make();
    graph::validate_graph(graph);
    const Outcome calls = run(graph, network.inputs(), load_machine("bm1684"), true);
    const Outcome lists =
        run(graph, network.inputs(), load_machine("bm1684", {"mcu.issue=lists"}), true);
    CHECK(lists.outputs == calls.outputs);
    CHECK(lists.microseconds < calls.microseconds);
}

TEST_CASE("layer groups compute the same where little fits") {
    CHECK(check_networks({"chip.lanes=8", "chip.local_memory_bytes=32768"}, 1000, 60).cut > 10);
    CHECK(check_networks({"chip.lanes=4", "chip.local_memory_bytes=16384"}, 2000, 30).cut > 5);
    check_networks({"chip.lanes=128", "chip.local_memory_bytes=1048576"}, 3000, 20);
    check_networks({"chip.vector_words=16"}, 4000, 20);
}
