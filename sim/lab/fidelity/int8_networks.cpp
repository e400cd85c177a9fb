// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/int8_networks.h"

#include <array>

#include "models/mcu/mcu_params.h"
#include "sim/lab/fidelity/network_runs.h"
#include "sim/lab/fidelity/simulated_figures.h"
#include "sim/lab/fidelity/statistics.h"

namespace okksim::sim::fidelity {
namespace {

constexpr auto kPrecision = zoo::Precision::kInt8;
constexpr std::array kNetworks{PublishedNetwork{"mobilenet_v2", "mobilenetv2", kPrecision, 1},
                               PublishedNetwork{"resnet50", "resnet50", kPrecision, 1},
                               PublishedNetwork{"resnet50", "resnet50", kPrecision, 4},
                               PublishedNetwork{"vgg16", "vgg16", kPrecision, 1},
                               PublishedNetwork{"yolov5s", "yolov5s_v6.1_3output", kPrecision, 1},
                               PublishedNetwork{"yolov5s", "yolov5s_v6.1_3output", kPrecision, 4}};

nlohmann::json simulate(const PublishedNetwork& network, const Machine& machine) {
    Machine unfitted = machine;
    unfitted.params.mcu->list_section_cycles = 0;
    return {{"ms", simulated_ms(network, machine, models::CommandIssue::kLists)},
            {"unfitted_ms", simulated_ms(network, unfitted, models::CommandIssue::kLists)}};
}

}  // namespace

Int8Report run_int8_networks(const std::filesystem::path& networks_csv, const Machine& machine,
                             int jobs,
                             const std::function<void(std::size_t, std::size_t)>& progress) {
    const CsvTable table = CsvTable::read(networks_csv);
    Int8Report report;
    report.fitted = "mcu.list_section_cycles";
    report.fitted_value = static_cast<double>(machine.params.mcu->list_section_cycles);
    std::vector<PublishedNetwork> networks;
    for (const PublishedNetwork& network : kNetworks) {
        const std::vector<double> image_ms = published_ms(table, network);
        if (image_ms.empty()) continue;
        Int8Figure figure;
        figure.network = network.network;
        figure.batch = network.batch;
        figure.silicon_ms = quantile(image_ms, 0.5) * network.batch;
        report.figures.push_back(figure);
        networks.push_back(network);
    }
    const auto simulated = simulate_all(
        networks.size(), jobs, [&](std::size_t i) { return simulate(networks[i], machine); },
        progress);
    for (std::size_t i = 0; i < networks.size(); ++i) {
        Int8Figure& figure = report.figures[i];
        if (simulated[i].contains("error")) {
            figure.error = simulated[i]["error"];
        } else {
            figure.simulated_ms = simulated[i]["ms"];
            figure.unfitted_ms = simulated[i]["unfitted_ms"];
        }
    }
    report.predict();
    return report;
}

}  // namespace okksim::sim::fidelity
