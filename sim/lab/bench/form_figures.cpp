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
#include "sim/zoo/onnx_networks.h"
#include "sim/zoo/xmodel_networks.h"
#include "sim/zoo/zoo.h"

namespace okksim::sim::bench {
namespace {

/// Targets of the project. The first is the seconds until a network of 200 MB of text can start.
/// The second is the additional time of another file compared with the same network as .tosa.
constexpr double kTextSeconds = 2;
constexpr double kLongerPercent = 20;

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

/// Compares a file with the same network as .tosa. `write` returns the file's bytes.
template <typename Write>
void measure_file(const std::string& title, const char* network, int rounds, const Machine& machine,
                  const std::function<void(Figure)>& done, const Write& write) {
    const graph::Graph graph = zoo::build_network(network, {}).graph;
    const auto file = write(graph);
    const std::vector<std::uint8_t> twin = graph::write_graph(graph);
    Least of_file, of_twin;
    const auto percent = [&] { return 100 * (of_file.seconds() / of_twin.seconds() - 1); };
    const auto round = [&] {
        const auto ready = [&](const auto& bytes) {
            return seconds_until_ready(std::as_bytes(std::span(bytes)), network, machine);
        };
        of_twin.add(ready(twin));
        of_file.add(ready(file));
    };
    take_turns(rounds, round, [&] { return percent() <= kLongerPercent; });
    done({title + " ready to run", percent(), "% longer than the same graph as .tosa",
          kLongerPercent, true, fmt::format("{:.2f} s", of_file.seconds())});
}

}  // namespace

void measure_forms(const BenchOptions& options, const std::function<void(Figure)>& done) {
    const Machine machine = load_machine("bm1684");
    measure_text(machine, done);
    const int rounds = options.quick ? 3 : 9;
    measure_file(".xmodel, ResNet-50", "resnet50", rounds, machine, done, zoo::write_xmodel);
    measure_file(".xmodel, MobileNetV2", "mobilenet_v2", rounds, machine, done, zoo::write_xmodel);
    const auto write_normalised = [](const graph::Graph& graph) {
        return zoo::write_onnx(graph, zoo::OnnxBias::kNormalisation);
    };
    measure_file("ONNX, ResNet-50", "resnet50", rounds, machine, done, write_normalised);
    measure_file("ONNX, MobileNetV2", "mobilenet_v2", rounds, machine, done, write_normalised);
}

}  // namespace okksim::sim::bench
