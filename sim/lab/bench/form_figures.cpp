// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/bench/form_figures.h"

#include <fmt/format.h>

#include "isa/base/errors.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/mlir/mlir_writer.h"
#include "sim/graph/tosa_v1/tosa_v1_writer.h"
#include "sim/graph/validate/validate.h"
#include "sim/lab/bench/host_limits.h"
#include "sim/lab/bench/turns.h"
#include "sim/machine/machine.h"
#include "sim/planning/machine_plan.h"
#include "sim/zoo/xmodel_networks.h"
#include "sim/zoo/zoo.h"

namespace okksim::sim::bench {
namespace {

/// Targets of the project. The first is the seconds until a network of 200 MB of text can start.
/// The second is the additional time of a .xmodel file compared with the same network as .tosa.
constexpr double kTextSeconds = 2;
constexpr double kXmodelPercent = 20;

/// Returns the seconds from a file's bytes to the executable plan.
double seconds_until_ready(std::span<const std::byte> bytes, const std::string& name,
                           const Machine& machine) {
    const double start = thread_seconds();
    const graph::Graph graph = graph::read_graph(bytes, nullptr, name);
    graph::validate_graph(graph);
    const auto plan = planning::plan_for_machine(graph, machine);
    OKKSIM_CHECK(!plan.constants.empty());
    return thread_seconds() - start;
}

/// The memory of the writer is free before the measurement.
void measure_text(const Machine& machine, const std::function<void(Figure)>& done) {
    const std::string text = graph::write_mlir(zoo::build_network("resnet50", {}).graph);
    Least ready;
    const auto round = [&] {
        ready.add(seconds_until_ready(std::as_bytes(std::span(text)), "resnet50.mlir", machine));
    };
    take_turns(2, round, [&] { return ready.seconds() <= kTextSeconds; });
    done({"MLIR text, ResNet-50 ready to run", ready.seconds(), "s", kTextSeconds, true,
          fmt::format("{:.0f} MB of text", static_cast<double>(text.size()) * 1e-6)});
}

void measure_xmodel(const char* network, const std::string& title, int rounds,
                    const Machine& machine, const std::function<void(Figure)>& done) {
    std::vector<std::uint8_t> file, twin;
    {
        const graph::Graph graph = zoo::build_network(network, {}).graph;
        file = zoo::write_xmodel(graph);
        twin = graph::write_graph(graph);
    }
    Least of_file, of_twin;
    const auto percent = [&] { return 100 * (of_file.seconds() / of_twin.seconds() - 1); };
    const auto round = [&] {
        const auto ready = [&](const std::vector<std::uint8_t>& bytes) {
            return seconds_until_ready(std::as_bytes(std::span(bytes)), network, machine);
        };
        of_twin.add(ready(twin));
        of_file.add(ready(file));
    };
    take_turns(rounds, round, [&] { return percent() <= kXmodelPercent; });
    done({".xmodel, " + title + " ready to run", percent(), "% longer than the same graph as .tosa",
          kXmodelPercent, true, fmt::format("{:.2f} s", of_file.seconds())});
}

}  // namespace

void measure_forms(const BenchOptions& options, const std::function<void(Figure)>& done) {
    const Machine machine = load_machine("bm1684");
    measure_text(machine, done);
    const int rounds = options.quick ? 3 : 9;
    measure_xmodel("resnet50", "ResNet-50", rounds, machine, done);
    measure_xmodel("mobilenet_v2", "MobileNetV2", rounds, machine, done);
}

}  // namespace okksim::sim::bench
