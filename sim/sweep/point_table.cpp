// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/point_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "isa/closest_word.h"
#include "isa/errors.h"
#include "isa/printable.h"
#include "sim/machine/provenance.h"
#include "sim/trace/account_report.h"

namespace okksim::sim::sweep {
namespace {

void check_names(const Formula& formula, const std::string& what,
                 const std::vector<std::string>& known, const ParameterNames& names) {
    for (const std::string& name : formula.names()) {
        if (std::ranges::find(known, name) != known.end() || names.path(name)) continue;
        throw ConfigError(what, fmt::format("{} is no figure, metric or parameter{}",
                                            printable(name), did_you_mean(name, known)));
    }
}

}  // namespace

std::vector<std::pair<std::string, Formula>> read_metrics(const SweepSpec& spec,
                                                          const ParameterNames& names) {
    std::vector<std::pair<std::string, Formula>> metrics;
    std::vector<std::string> known = figure_names();
    for (const auto& [name, text] : spec.metrics) {
        if (std::ranges::find(known, name) != known.end() || names.path(name)) {
            throw ConfigError("metrics." + printable(name),
                              "is the name of a figure or parameter; choose another");
        }
        Formula formula(text, "metrics." + printable(name));
        check_names(formula, "metrics." + printable(name), known, names);
        metrics.emplace_back(name, std::move(formula));
        known.push_back(name);
    }
    for (const std::string& objective : spec.objectives) {
        check_names(Formula(objective, "objectives"), "objectives", known, names);
    }
    return metrics;
}

PointTable::PointTable(PointStore& store, const StoredSweep& sweep)
    : base_(MachineFamily::of_text(sweep.machine, "base of " + sweep.name).with({})),
      spec_(parse_sweep(sweep.spec, sweep.name, base_)),
      names_(base_),
      metrics_(read_metrics(spec_, names_)) {
    base_.name = printable(std::filesystem::path(spec_.machine).filename().string());
    base_.overrides = spec_.settings;
    for (const Axis& axis : spec_.axes) {
        if (axis.interval) parameters_.push_back(axis.name);
        for (const AxisValue& value : axis.values) {
            for (const auto& [parameter, text] : value.settings) {
                if (std::ranges::find(parameters_, parameter) == parameters_.end()) {
                    parameters_.push_back(parameter);
                }
            }
        }
    }
    store.each_point(sweep.id, [&](const StoredPoint& point) { points_.push_back(point); });
}

std::vector<std::string> PointTable::metrics() const {
    std::vector<std::string> names;
    for (const std::string& name : figure_names()) {
        const bool any = std::ranges::any_of(points_, [&](const StoredPoint& point) {
            return point.result.figures.get(name).has_value();
        });
        if (any) names.push_back(name);
    }
    for (const auto& [name, formula] : metrics_) names.push_back(name);
    return names;
}

std::string PointTable::setting(const StoredPoint& point, const std::string& parameter) {
    for (const auto& [path, value] : point.settings) {
        if (path == parameter) return value;
    }
    return "";
}

std::optional<double> PointTable::value(const StoredPoint& point, const std::string& name) const {
    for (const auto& [metric, formula] : metrics_) {
        if (metric != name) continue;
        return formula.value([&](const std::string& inner) { return value(point, inner); });
    }
    if (figure_index(name)) return point.result.figures.get(name);
    if (names_.path(name)) return names_.value(name, point.settings);
    // A formula, of objectives.
    return Formula(name, "objectives").value([&](const std::string& inner) {
        return inner == name ? std::nullopt : value(point, inner);
    });
}

std::string PointTable::csv() const {
    const std::vector<std::string> names = metrics();
    std::string text = "number,workload,machine_hash";
    for (const std::string& parameter : parameters_) text += "," + trace::csv_field(parameter);
    for (const std::string& name : names) text += "," + trace::csv_field(name);
    text += ",failure,okksim_version\n";
    for (const StoredPoint& point : points_) {
        text += fmt::format("{},{},{:016x}", point.number, trace::csv_field(point.workload),
                            point.machine);
        for (const std::string& parameter : parameters_) {
            text += "," + trace::csv_field(setting(point, parameter));
        }
        for (const std::string& name : names) {
            const auto number = value(point, name);
            text += number ? fmt::format(",{}", *number) : ",";
        }
        text += fmt::format(",{},{}\n", trace::csv_field(point.result.failure), okksim_version());
    }
    return text;
}

std::string PointTable::json() const {
    const std::vector<std::string> names = metrics();
    nlohmann::ordered_json json{{"sweep", spec_.name},
                                {"machine", base_.label()},
                                {"points", nlohmann::ordered_json::array()}};
    for (const StoredPoint& point : points_) {
        nlohmann::ordered_json entry{{"number", point.number},
                                     {"workload", point.workload},
                                     {"machine_hash", fmt::format("{:016x}", point.machine)},
                                     {"settings", nlohmann::ordered_json::object()}};
        for (const auto& [path, value] : point.settings) entry["settings"][path] = value;
        for (const std::string& name : names) {
            const auto number = value(point, name);
            entry[name] = number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json();
        }
        if (!point.result.failure.empty()) entry["failure"] = point.result.failure;
        json["points"].push_back(std::move(entry));
    }
    add_version(json);
    return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace okksim::sim::sweep
