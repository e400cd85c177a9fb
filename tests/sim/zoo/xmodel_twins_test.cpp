// SPDX-License-Identifier: Apache-2.0
// Networks of the zoo as .xmodel files: the same bytes, in the same simulated time but for what the
// places of constants in memory make out (files do not say which of them are shared).
#include <algorithm>
#include <memory>

#include "sim/execution/executor.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/validate/validate.h"
#include "sim/machine/machine.h"
#include "sim/planning/machine_plan.h"
#include "sim/zoo/zoo.h"
#include "tests/sim/graph/xmodel_writer.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim;

struct Outcome {
    std::vector<std::byte> bytes;
    double microseconds = 0;
};

Outcome simulate(const graph::Graph& graph, const graph::HostTensor& input,
                 const Machine& machine) {
    graph::validate_graph(graph);
    const auto plan = planning::plan_for_machine(graph, machine, planning::PlanOptions{});
    Simulation simulation(machine, {});
    execution::GraphExecutor executor(graph, plan, simulation);
    executor.set_input(0, input);
    const auto report = executor.run();
    REQUIRE(!report.fault);
    const graph::HostTensor output = executor.output(0);
    return {{output.data.begin(), output.data.end()}, (report.end - report.start).microseconds()};
}

}  // namespace

TEST_CASE("networks as .xmodel give the same bytes in the same time, nearly", "[zoo][xmodel]") {
    const std::string name = GENERATE("mobilenet_v2", "resnet50", "vgg16");
    CAPTURE(name);
    zoo::ZooOptions options;
    options.size = 32;
    options.width = 0.125;
    const zoo::ZooModel model = zoo::build_network(name, options);
    const auto file =
        std::make_shared<const std::vector<std::uint8_t>>(tests::write_xmodel(model.graph));
    const graph::Graph twin =
        graph::read_graph(std::as_bytes(std::span(*file)), file, "twin.xmodel");
    const Machine machine = load_machine("bm1684");
    const Outcome wanted = simulate(model.graph, model.inputs[0].value, machine);
    const Outcome got = simulate(twin, model.inputs[0].value, machine);
    CHECK(got.bytes == wanted.bytes);
    CHECK(got.microseconds == Approx(wanted.microseconds).epsilon(0.01));
}
