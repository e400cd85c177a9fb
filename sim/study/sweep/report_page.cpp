// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/report/embedded_file.h"
#include "sim/report/html_page.h"
#include "sim/study/sweep/answers.h"
#include "sim/study/sweep/level_lines.h"

OKKSIM_EMBED(okksim_sweep_page, OKKSIM_REPORT_PAGE)

namespace okksim::sim::sweep {
namespace {

/// Points up to which the page includes the time by cause, to limit its size.
constexpr std::size_t kMostWithCauses = 5000;

/// Returns a JSON number, or null if JSON cannot represent it.
nlohmann::ordered_json cell(const std::optional<double>& number) {
    if (!number || !std::isfinite(*number)) return nullptr;
    return nlohmann::ordered_json::parse(fmt::format("{:.7g}", *number));
}

nlohmann::ordered_json page_data(const PointTable& table) {
    std::vector<std::string> metrics = table.metrics();
    if (table.points().size() > kMostWithCauses) std::erase_if(metrics, is_cause_figure);
    const std::vector<MachineRow> machines = machine_rows(table);
    std::vector<LevelLine> lines = level_lines(table, machines);
    // The page compares each workload with the limit.
    std::erase_if(lines, [](const LevelLine& line) { return line.is_mean; });
    std::vector<std::string> objectives;
    for (const LevelLine& line : lines) {
        const bool is_new = std::ranges::find(metrics, line.metric) == metrics.end();
        if (is_new) metrics.push_back(line.metric);
    }
    for (const std::string& objective : table.spec().objectives) {
        objectives.push_back(objective);
        const bool is_new = std::ranges::find(metrics, objective) == metrics.end();
        if (is_new) metrics.push_back(objective);
    }
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    json["name"] = table.spec().name;
    json["about"] = fmt::format("{} points, ", table.points().size());
    json["answers"] = main_answers(table, machines);
    json["parameters"] = table.parameters();
    json["metrics"] = metrics;
    json["objectives"] = objectives;
    json["axes"] = nlohmann::ordered_json::array();
    for (const Axis& axis : table.spec().axes) json["axes"].push_back(axis.parameters());
    json["singly"] = table.spec().sampling == Sampling::kEach;
    json["levels"] = nlohmann::ordered_json::object();
    for (const LevelLine& line : lines) {
        json["levels"][line.metric] = nlohmann::ordered_json::array();
        for (const Level& level : line.levels) json["levels"][line.metric].push_back(level.most);
    }
    json["workloads"] = nlohmann::ordered_json::array();
    for (const WorkloadSpec& workload : table.spec().workloads) {
        json["workloads"].push_back(workload.name);
    }
    json["left_out"] = table.failed_workloads();
    json["columns"] = nlohmann::ordered_json::array({"number", "workload", "failure"});
    for (const auto& name : table.parameters()) json["columns"].push_back(name);
    for (const auto& name : metrics) json["columns"].push_back(name);
    json["rows"] = nlohmann::ordered_json::array();
    for (const StoredPoint& point : table.points()) {
        auto row =
            nlohmann::ordered_json::array({point.number, point.workload, point.result.failure});
        for (const std::string& name : table.parameters()) {
            const std::string text = PointTable::setting(point, name);
            const auto number = number_of(text);
            row.push_back(number ? cell(number) : nlohmann::ordered_json(text));
        }
        for (const std::string& name : metrics) row.push_back(cell(table.value(point, name)));
        json["rows"].push_back(std::move(row));
    }
    return json;
}

}  // namespace

std::string report_page(const PointTable& table) {
    return report::html_page(report::embedded(okksim_sweep_page, okksim_sweep_page_end),
                             page_data(table), table.base());
}

}  // namespace okksim::sim::sweep
