// SPDX-License-Identifier: Apache-2.0
// Layer groups on int8 give what their operators give in kernels of their own, bit for bit.
#include <cmath>

#include "sim/execution/executor.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/machine_plan.h"
#include "sim/planning/run_step.h"
#include "tests/support/catch.h"
#include "tests/support/random_byte_layers.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using graph::HostTensor;
using tests::RandomByteLayers;

struct Outcome {
    std::vector<std::vector<std::byte>> outputs;
    double microseconds = 0;
    std::size_t groups = 0;
    std::size_t cut = 0;        ///< groups in slices
    std::size_t functions = 0;  ///< layers that stand for several operators
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
        outcome.outputs.emplace_back(output.data.begin(), output.data.end());
    }
    for (const planning::Step& step : plan.block(graph.entry).steps) {
        if (step.kind != planning::StepKind::kLayers) continue;
        ++outcome.groups;
        if (!planning::layer_plan_of(step).slices.is_whole()) ++outcome.cut;
        for (const planning::StepLayer& layer : step.layers) {
            if (layer.members.size() > 1) ++outcome.functions;
        }
    }
    return outcome;
}

/// Sums over random networks.
Outcome check_networks(const std::vector<std::string>& settings, std::uint64_t first_seed,
                       int cases) {
    const Machine machine = load_machine("bm1684", settings);
    Outcome all;
    for (int i = 0; i < cases; ++i) {
        const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
        CAPTURE(seed, settings);
        RandomByteLayers network(seed);
        const graph::Graph graph = network.make();
        graph::validate_graph(graph);
        const Outcome resident = run(graph, network.inputs(), machine, true);
        const Outcome stored = run(graph, network.inputs(), machine, false);
        CHECK(stored.groups == 0);
        all.groups += resident.groups;
        all.cut += resident.cut;
        all.functions += resident.functions;
        CHECK(resident.outputs == stored.outputs);
        CHECK(resident.microseconds <= stored.microseconds * 1.02);
    }
    return all;
}

}  // namespace

TEST_CASE("layer groups on int8 compute what kernels of their own compute") {
    const Outcome all = check_networks({}, 1, 60);
    CHECK(all.groups > 40);
    CHECK(all.functions > 20);
}

TEST_CASE("layer groups on int8 compute the same where little fits") {
    CHECK(check_networks({"chip.lanes=8", "chip.local_memory_bytes=32768"}, 1000, 40).cut > 10);
    CHECK(check_networks({"chip.lanes=4", "chip.local_memory_bytes=16384"}, 2000, 20).cut > 2);
    check_networks({"chip.lanes=128", "chip.local_memory_bytes=1048576", "mcu.issue=lists"}, 3000,
                   20);
    check_networks({"chip.vector_words=16"}, 4000, 20);
}
