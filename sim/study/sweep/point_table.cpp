// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/point_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "isa/base/errors.h"
#include "isa/base/printable.h"
#include "sim/machine/provenance.h"
#include "sim/trace/account_report.h"

namespace okksim::sim::sweep {

namespace {

/// Returns what `read` returns. The message of an error names the store and its column.
template <typename Read>
auto of_column(const PointStore& store, const StoredSweep& sweep, const char* column,
               const Read& read) {
    try {
        return read();
    } catch (const ConfigError& error) {
        throw ConfigError(store.name(),
                          fmt::format("column {} of sweep {}: {}; the store was changed, start the "
                                      "sweep again in a new one",
                                      column, printable(sweep.name), error.what()));
    }
}

/// Returns the workloads without a successful point, if another workload has one.
std::vector<std::string> failed_everywhere(const std::vector<StoredPoint>& points) {
    std::map<std::string, bool> succeeds;
    for (const StoredPoint& point : points) {
        succeeds[point.workload] |= point.result.failure.empty();
    }
    std::vector<std::string> failed;
    for (const auto& [workload, is_good] : succeeds) {
        if (!is_good) failed.push_back(workload);
    }
    return failed.size() == succeeds.size() ? std::vector<std::string>() : failed;
}

}  // namespace

PointTable::PointTable(PointStore& store, const StoredSweep& sweep)
    : base_(of_column(
          store, sweep, "machine",
          [&] { return MachineFamily::of_text(sweep.machine, "base of " + sweep.name).with({}); })),
      spec_(of_column(store, sweep, "spec",
                      [&] { return parse_sweep(sweep.spec, sweep.name, base_); })),
      metrics_(of_column(store, sweep, "spec", [&] { return PointMetrics(spec_, base_); })) {
    base_.name = printable(std::filesystem::path(spec_.machine).filename().string());
    base_.overrides = spec_.settings;
    for (const Axis& axis : spec_.axes) {
        for (std::string& name : axis.parameters()) parameters_.push_back(std::move(name));
    }
    store.each_point(sweep.id, [&](const StoredPoint& point) { points_.push_back(point); });
    failed_workloads_ = failed_everywhere(points_);
}

std::vector<double> PointTable::objectives(const std::vector<const StoredPoint*>& points) const {
    std::vector<const StoredPoint*> judged;
    for (const StoredPoint* point : points) {
        if (!std::ranges::count(failed_workloads_, point->workload)) judged.push_back(point);
    }
    return metrics_.objectives(judged, spec_.workloads.size() - failed_workloads_.size());
}

std::vector<std::string> PointTable::metrics() const {
    std::vector<std::string> names;
    for (const std::string& name : figure_names()) {
        const bool any = std::ranges::any_of(points_, [&](const StoredPoint& point) {
            return point.result.figures.get(name).has_value();
        });
        if (any) names.push_back(name);
    }
    for (const std::string& name : metrics_.names()) names.push_back(name);
    return names;
}

std::string PointTable::setting(const StoredPoint& point, const std::string& parameter) {
    for (const auto& [path, value] : point.settings) {
        if (path == parameter) return value;
    }
    return "";
}

std::string PointTable::csv() const {
    const std::vector<std::string> names = metrics();
    std::string text = "number,workload,machine_hash";
    for (const std::string& parameter : parameters_) text += "," + trace::csv_field(parameter);
    for (const std::string& name : names) text += "," + trace::csv_field(name);
    text += ",failure,okksim_version,machine,schema_version\n";
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
        text += fmt::format(",{},{},{},{}\n", trace::csv_field(point.result.failure),
                            okksim_version(), machine_cell(base_), kReportSchema);
    }
    return text;
}

nlohmann::ordered_json point_json(const StoredPoint& point) {
    nlohmann::ordered_json json{{"number", point.number},
                                {"workload", point.workload},
                                {"machine_hash", fmt::format("{:016x}", point.machine)},
                                {"settings", nlohmann::ordered_json::object()}};
    for (const auto& [path, value] : point.settings) json["settings"][path] = value;
    return json;
}

std::string PointTable::json() const {
    const std::vector<std::string> names = metrics();
    nlohmann::ordered_json json{{"sweep", spec_.name}, {"points", nlohmann::ordered_json::array()}};
    for (const StoredPoint& point : points_) {
        nlohmann::ordered_json entry = point_json(point);
        for (const std::string& name : names) {
            const auto number = value(point, name);
            entry[name] = number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json();
        }
        if (!point.result.failure.empty()) entry["failure"] = point.result.failure;
        json["points"].push_back(std::move(entry));
    }
    add_provenance(json, base_);
    return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace okksim::sim::sweep
