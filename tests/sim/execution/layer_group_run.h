// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/execution/executor.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/machine_plan.h"
#include "sim/planning/run_step.h"
#include "tests/support/catch.h"

/// Graphs run in layer groups, with feature maps in local memory, and in separate kernels.
namespace okksim::tests {

struct LayerGroupRun {
    std::vector<sim::graph::HostTensor> outputs;
    double microseconds = 0;
    std::size_t groups = 0;
    std::size_t cut = 0;         ///< groups in slices
    std::size_t functions = 0;   ///< layers that represent several operators
    std::size_t whole_maps = 0;  ///< fully connected layers
    std::size_t unfolded = 0;    ///< feature maps of few channels
};

inline LayerGroupRun run_in_groups(const sim::graph::Graph& graph,
                                   const std::vector<sim::graph::HostTensor>& inputs,
                                   const sim::Machine& machine, bool layers) {
    const auto plan = sim::planning::plan_for_machine(graph, machine, {.layers = layers});
    sim::Simulation simulation(machine, {});
    sim::execution::GraphExecutor executor(graph, plan, simulation);
    for (std::size_t i = 0; i < inputs.size(); ++i) executor.set_input(i, inputs[i]);
    const sim::execution::ExecutionReport report = executor.run();
    REQUIRE(!report.fault);
    CHECK(report.findings.empty());
    LayerGroupRun run;
    run.microseconds = (report.end - report.start).microseconds();
    for (std::size_t i = 0; i < graph.main().outputs.size(); ++i) {
        run.outputs.push_back(executor.output(i));
    }
    for (const sim::planning::Step& step : plan.block(graph.entry).steps) {
        if (step.kind != sim::planning::StepKind::kLayers) continue;
        ++run.groups;
        if (!sim::planning::layer_plan_of(step).slices.is_whole()) ++run.cut;
        for (const kernels::layers::MapPart& part : sim::planning::layer_plan_of(step).parts) {
            if (part.unfolding.taps > 1) ++run.unfolded;
        }
        for (const sim::planning::StepLayer& layer : step.layers) {
            if (layer.members.size() > 1) ++run.functions;
            if (layer.takes_whole_map) ++run.whole_maps;
        }
    }
    return run;
}

/// Compares both ways on random networks with `are_equal`; returns the counts of all runs.
template <typename Network, typename Equal>
LayerGroupRun check_networks(const std::vector<std::string>& settings, std::uint64_t first_seed,
                             int cases, const Equal& are_equal,
                             const std::string& name = "bm1684") {
    const sim::Machine machine = sim::load_machine(name, settings);
    LayerGroupRun all;
    for (int i = 0; i < cases; ++i) {
        const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
        CAPTURE(seed, settings);
        Network network(seed);
        const sim::graph::Graph graph = network.make();
        sim::graph::validate_graph(graph);
        const LayerGroupRun resident = run_in_groups(graph, network.inputs(), machine, true);
        const LayerGroupRun stored = run_in_groups(graph, network.inputs(), machine, false);
        CHECK(stored.groups == 0);
        all.groups += resident.groups;
        all.cut += resident.cut;
        all.functions += resident.functions;
        all.whole_maps += resident.whole_maps;
        all.unfolded += resident.unfolded;
        for (std::size_t k = 0; k < stored.outputs.size(); ++k) {
            CHECK(are_equal(resident.outputs[k], stored.outputs[k]));
        }
        CHECK(resident.microseconds <= stored.microseconds * 1.02);
    }
    return all;
}

}  // namespace okksim::tests
