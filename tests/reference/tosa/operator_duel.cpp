// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/tosa/operator_duel.h"

#include <memory>
#include <span>
#include <stdexcept>

#include "sim/check/compare.h"
#include "sim/execution/executor.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/mlir/mlir_writer.h"
#include "sim/graph/tosa_v1/tosa_v1_writer.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/machine_plan.h"
#include "tests/reference/tosa/tosa_reference.h"

namespace okksim::tests {
namespace {

std::vector<sim::graph::HostTensor> simulate(const RandomCase& test, const sim::Machine& machine,
                                             std::string& findings) {
    const auto plan =
        sim::planning::plan_for_machine(test.graph, machine, sim::planning::PlanOptions{});
    sim::Simulation simulation(machine, {});
    sim::execution::GraphExecutor executor(test.graph, plan, simulation);
    for (std::size_t i = 0; i < test.inputs.size(); ++i) executor.set_input(i, test.inputs[i]);
    const auto report = executor.run();
    if (report.fault) throw ProgramFault(*report.fault);
    for (const auto& finding : report.findings) findings += finding.message + "; ";
    std::vector<sim::graph::HostTensor> outputs;
    for (std::size_t i = 0; i < test.graph.main().outputs.size(); ++i) {
        outputs.push_back(executor.output(i));
    }
    return outputs;
}

/// Returns the graph after a round trip through its text and then through its file.
sim::graph::Graph reread(const sim::graph::Graph& graph) {
    const auto text = std::make_shared<const std::string>(sim::graph::write_mlir(graph));
    const sim::graph::Graph first =
        sim::graph::read_graph(std::as_bytes(std::span(*text)), text, "case.mlir");
    const auto file =
        std::make_shared<const std::vector<std::uint8_t>>(sim::graph::write_graph(first));
    sim::graph::Graph second =
        sim::graph::read_graph(std::as_bytes(std::span(*file)), file, "case.tosa");
    if (sim::graph::write_mlir(first) != *text || sim::graph::write_mlir(second) != *text) {
        throw std::runtime_error("the graph is another one after it was written and read: " +
                                 *text);
    }
    return second;
}

std::string compare(const RandomCase& test, const std::vector<sim::graph::HostTensor>& got,
                    const reference::ReferenceResult& wanted) {
    for (std::size_t i = 0; i < got.size(); ++i) {
        const auto& value = wanted.outputs[i];
        const bool inexact = !value.least.empty();
        const auto array = reference::to_array(inexact ? reference::least_value(value) : value);
        std::optional<sim::graph::NpyArray> bound;
        if (inexact) bound = reference::to_array(reference::most_value(value));
        if (test.rule_takes_bound) bound = reference::bound_array(value);
        const auto verdict =
            sim::check::compare(got[i], array, bound ? &*bound : nullptr, test.rule);
        if (!verdict.passed) return "output " + std::to_string(i) + ": " + verdict.text();
    }
    return "";
}

}  // namespace

DuelResult duel(tosa::OpCode op, std::uint64_t seed, std::int64_t scale,
                const sim::Machine& machine) {
    RandomSource random(seed * 1000003 + static_cast<std::uint64_t>(op));
    DuelResult result;
    try {
        RandomCase test = make_random_case(op, random, scale);
        result.text = test.text;
        sim::graph::validate_graph(test.graph);
        const auto wanted = reference::run_reference(test.graph, test.inputs);
        test.graph = reread(test.graph);
        result.failure = compare(test, simulate(test, machine, result.findings), wanted);
    } catch (const std::exception& error) {
        result.failure = error.what();
    }
    return result;
}

}  // namespace okksim::tests
