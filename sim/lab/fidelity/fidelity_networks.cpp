// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/fidelity_networks.h"

#include <array>

#include "models/mcu/mcu_params.h"
#include "sim/lab/fidelity/network_runs.h"
#include "sim/lab/fidelity/simulated_figures.h"
#include "sim/lab/fidelity/statistics.h"

namespace okksim::sim::fidelity {
namespace {

/// Target time of a network's schedule in ms. The fp32 targets include the compute time that a
/// later change of the convolution formulas added (0.24, 0.31, 0.30 and 1.90 ms).
struct Match {
    PublishedNetwork network;
    double lists_bar_ms;
    double calls_bar_ms;  ///< 0: none
};
constexpr auto kFp32 = zoo::Precision::kFp32, kInt8 = zoo::Precision::kInt8;
constexpr std::array kMatches{Match{{"mobilenet_v2", "mobilenetv2", kFp32}, 1.44, 2.24},
                              Match{{"resnet50", "resnet50", kFp32}, 5.61, 6.21},
                              Match{{"vgg16", "vgg16", kFp32}, 32.3, 33.3},
                              Match{{"yolov5s", "yolov5s_v6.1_3output", kFp32}, 19.9, 22.9},
                              Match{{"mobilenet_v2", "mobilenetv2", kInt8}, 6, 0},
                              Match{{"resnet50", "resnet50", kInt8}, 13.5, 0},
                              Match{{"yolov5s", "yolov5s_v6.1_3output", kInt8}, 29, 0}};

/// Returns the simulated times of one image.
nlohmann::json simulate(const Match& match, const Machine& machine) {
    return {{"ms", simulated_ms(match.network, machine, models::CommandIssue::kLists)},
            {"calls_ms", simulated_ms(match.network, machine, models::CommandIssue::kCalls)}};
}

}  // namespace

std::vector<NetworkFigure> run_networks(
    const std::filesystem::path& networks_csv, const Machine& machine, int jobs,
    const std::function<void(std::size_t, std::size_t)>& progress) {
    const CsvTable table = CsvTable::read(networks_csv);
    std::vector<NetworkFigure> figures;
    std::vector<Match> matches;
    for (const Match& match : kMatches) {
        const std::vector<double> times = published_ms(table, match.network);
        if (times.empty()) continue;
        NetworkFigure figure;
        figure.network = match.network.network;
        figure.precision = precision_name(match.network.precision);
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
