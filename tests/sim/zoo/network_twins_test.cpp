// SPDX-License-Identifier: Apache-2.0
// Networks of the zoo in every form that has their operators give the same bytes in the same
// simulated time. OpLib has no RESCALE, attention or loops, so .xmodel takes only the
// floating-point convolutional networks. The zoo writes the same networks as ONNX files.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "sim/execution/executor.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/mlir/mlir_writer.h"
#include "sim/graph/tosa_v1/tosa_v1_writer.h"
#include "sim/graph/validate/validate.h"
#include "sim/machine/machine.h"
#include "sim/planning/machine_plan.h"
#include "sim/zoo/onnx_networks.h"
#include "sim/zoo/xmodel_networks.h"
#include "sim/zoo/zoo.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim;

struct Outcome {
    std::vector<std::byte> bytes;
    double microseconds = 0;
};

Outcome simulate(const graph::Graph& graph, const std::vector<zoo::ZooModel::Input>& inputs,
                 const Machine& machine) {
    graph::validate_graph(graph);
    const auto plan = planning::plan_for_machine(graph, machine, planning::PlanOptions{});
    Simulation simulation(machine, {});
    execution::GraphExecutor executor(graph, plan, simulation);
    for (std::size_t i = 0; i < inputs.size(); ++i) executor.set_input(i, inputs[i].value);
    const auto report = executor.run();
    REQUIRE(!report.fault);
    Outcome outcome;
    for (std::size_t i = 0; i < graph.main().outputs.size(); ++i) {
        const graph::HostTensor output = executor.output(i);
        outcome.bytes.insert(outcome.bytes.end(), output.data.begin(), output.data.end());
    }
    outcome.microseconds = (report.end - report.start).microseconds();
    return outcome;
}

std::vector<std::uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

bool is_convolutional(const std::string& name, zoo::Precision precision) {
    constexpr std::string_view kNames[] = {"mobilenet_v1", "mobilenet_v2", "resnet18", "resnet50",
                                           "vgg16"};
    return precision != zoo::Precision::kInt8 &&
           std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

void check_twins(const std::string& name, zoo::Precision precision, const Machine& machine) {
    zoo::ZooOptions options;
    options.precision = precision;
    const bool is_sequence = name == "lstm" || name == "bert";
    options.size = is_sequence ? 4 : 32;
    options.width = 0.125;
    const zoo::ZooModel model = zoo::build_network(name, options);
    std::map<std::string, std::vector<std::uint8_t>> files{
        {"tosa", graph::write_graph(model.graph)},
        {"mlir", bytes_of(graph::write_mlir(model.graph))}};
    if (is_convolutional(name, precision)) {
        files["xmodel"] = zoo::write_xmodel(model.graph);
        files["onnx"] = bytes_of(zoo::write_onnx(model.graph));
        files["normalised.onnx"] =
            bytes_of(zoo::write_onnx(model.graph, zoo::OnnxBias::kNormalisation));
    }
    const Outcome wanted = simulate(model.graph, model.inputs, machine);
    for (const auto& [form, bytes] : files) {
        const auto file = std::make_shared<const std::vector<std::uint8_t>>(bytes);
        const graph::Graph twin =
            graph::read_graph(std::as_bytes(std::span(*file)), file, "twin." + form);
        const Outcome got = simulate(twin, model.inputs, machine);
        INFO(name << " of precision " << static_cast<int>(precision) << " as " << form);
        CHECK(got.bytes == wanted.bytes);
        // The reader adds the slice before a window again, and its time may differ.
        const double most = form.ends_with("onnx") ? 0.01 : 0;
        CHECK(std::abs(got.microseconds / wanted.microseconds - 1) <= most);
    }
}

}  // namespace

TEST_CASE("networks give the same bytes in the same time in every form", "[zoo]") {
    const Machine machine = load_machine("bm1684");
    for (const auto& entry : zoo::zoo_entries()) {
        for (const auto precision :
             {zoo::Precision::kFp32, zoo::Precision::kFp16, zoo::Precision::kInt8}) {
            check_twins(entry.name, precision, machine);
        }
    }
}
