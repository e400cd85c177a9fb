// SPDX-License-Identifier: Apache-2.0
#include "sim/fidelity/fidelity_networks.h"

#include <array>

#include "isa/errors.h"
#include "isa/fault.h"
#include "sim/execution/executor.h"
#include "sim/fidelity/csv.h"
#include "sim/fidelity/simulated_figures.h"
#include "sim/fidelity/statistics.h"
#include "sim/planning/machine_plan.h"
#include "sim/zoo/zoo.h"

namespace okksim::sim::fidelity {
namespace {

/// A network of the zoo, how the names of the same network in networks.csv begin, and what its plan
/// should reach, in ms. Bars of fp32 were set before convolutions cost what they do now: each is
/// larger by what that adds to compute time alone (0.24, 0.31, 0.30 and 1.90 ms).
struct Match {
    const char* network;
    const char* model;
    zoo::Precision precision;
    double lists_bar_ms;
    double calls_bar_ms;  ///< 0: none
};
constexpr std::array kMatches{
    Match{"mobilenet_v2", "mobilenetv2", zoo::Precision::kFp32, 1.44, 2.24},
    Match{"resnet50", "resnet50", zoo::Precision::kFp32, 5.61, 6.21},
    Match{"vgg16", "vgg16", zoo::Precision::kFp32, 32.3, 33.3},
    Match{"yolov5s", "yolov5s_v6.1_3output", zoo::Precision::kFp32, 19.9, 22.9},
    Match{"mobilenet_v2", "mobilenetv2", zoo::Precision::kInt8, 6, 0},
    Match{"resnet50", "resnet50", zoo::Precision::kInt8, 13.5, 0},
    Match{"yolov5s", "yolov5s_v6.1_3output", zoo::Precision::kInt8, 29, 0}};

std::string precision_name(zoo::Precision precision) {
    return precision == zoo::Precision::kInt8 ? "int8" : "fp32";
}

/// Published times in ms of one image, measured around launch, run and sync.
std::vector<double> published_ms(const CsvTable& table, const Match& match) {
    const std::size_t chip = table.column("chip"), model = table.column("model"),
                      precision = table.column("precision"), batch = table.column("batch"),
                      ms = table.column("ms_per_image"), what = table.column("what_is_measured");
    std::vector<double> times;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.text(row, chip) == "BM1684" && table.text(row, model).starts_with(match.model) &&
            table.text(row, precision) == precision_name(match.precision) &&
            table.text(row, batch) == "1" &&
            table.text(row, what).find("bmrt_test") != std::string::npos) {
            times.push_back(table.number(row, ms));
        }
    }
    return times;
}

double milliseconds(const graph::Graph& graph, Machine machine, models::CommandIssue issue) {
    machine.params.mcu.issue = static_cast<std::int64_t>(issue);
    const planning::GraphPlan plan = planning::plan_for_machine(graph, machine);
    models::ChipOptions chip;
    chip.with_data = false;
    chip.with_diagnostics = false;
    Simulation simulation(machine, chip);
    execution::GraphExecutor executor(graph, plan, simulation);
    const execution::ExecutionReport report = executor.run();
    if (report.fault) throw ProgramFault(*report.fault);
    const models::HostParams& host = machine.params.host;
    return (report.end - report.start).microseconds() * 1e-3 +
           (host.launch_nanoseconds + host.sync_nanoseconds) * 1e-6;
}

/// Simulated times of one image.
nlohmann::json simulate(const Match& match, const Machine& machine) {
    const zoo::ZooModel model = zoo::build_network(match.network, {.precision = match.precision});
    return {{"ms", milliseconds(model.graph, machine, models::CommandIssue::kLists)},
            {"calls_ms", milliseconds(model.graph, machine, models::CommandIssue::kCalls)}};
}

}  // namespace

std::vector<NetworkFigure> run_networks(
    const std::filesystem::path& networks_csv, const Machine& machine, int jobs,
    const std::function<void(std::size_t, std::size_t)>& progress) {
    const CsvTable table = CsvTable::read(networks_csv);
    std::vector<NetworkFigure> figures;
    std::vector<Match> matches;
    for (const Match& match : kMatches) {
        const std::vector<double> times = published_ms(table, match);
        if (times.empty()) continue;
        NetworkFigure figure;
        figure.network = match.network;
        figure.precision = precision_name(match.precision);
        figure.lists_bar_ms = match.lists_bar_ms;
        figure.calls_bar_ms = match.calls_bar_ms;
        figure.silicon_ms = quantile(times, 0.5);
        figure.sources = times.size();
        figures.push_back(figure);
        matches.push_back(match);
    }
    const auto simulated = simulate_all(
        figures.size(), jobs, [&](std::size_t index) { return simulate(matches[index], machine); },
        progress);
    for (std::size_t i = 0; i < figures.size(); ++i) {
        if (simulated[i].contains("error")) {
            figures[i].error = simulated[i]["error"];
        } else {
            figures[i].simulated_ms = simulated[i]["ms"];
            figures[i].calls_ms = simulated[i]["calls_ms"];
        }
    }
    return figures;
}

}  // namespace okksim::sim::fidelity
