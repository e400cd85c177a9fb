// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/point_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "isa/base/errors.h"
#include "isa/base/printable.h"
#include "sim/machine/provenance.h"
#include "sim/study/sweep/workload_variants.h"
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

/// Returns the workloads to leave out, so that a machine runs all others: those that fail most
/// often first. Empty if nothing succeeds.
std::vector<std::string> failing_workloads(const std::vector<StoredPoint>& points) {
    std::map<std::string, std::size_t> failures;
    std::map<PointSettings, std::set<std::string>> runs;
    for (const StoredPoint& point : points) {
        const bool is_good = point.result.failure.empty();
        failures[point.workload] += is_good ? 0 : 1;
        if (is_good) runs[point.settings].insert(point.workload);
    }
    std::vector<std::string> left_out;
    while (!runs.empty() && failures.size() > 1) {
        const bool has_machine = std::ranges::any_of(runs, [&](const auto& machine) {
            return std::ranges::all_of(failures, [&](const auto& workload) {
                return machine.second.contains(workload.first);
            });
        });
        const auto worst = std::ranges::max_element(
            failures, {}, [](const auto& workload) { return workload.second; });
        if (has_machine || worst->second == 0) break;
        left_out.push_back(worst->first);
        failures.erase(worst);
    }
    std::ranges::sort(left_out);
    return left_out;
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
    for (const WorkloadSpec& workload : spec_.workloads) {
        for (const auto& [path, value] : workload.variant) {
            if (!std::ranges::count(variant_parameters_, path)) variant_parameters_.push_back(path);
        }
    }
    store.each_point(sweep.id, [&](const StoredPoint& point) {
        points_.push_back(point);
        name_variant(spec_.workloads, points_.back().workload, points_.back().settings);
    });
    failed_workloads_ = failing_workloads(points_);
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

PointSettings PointTable::variant(const StoredPoint& point) const {
    const auto found = std::ranges::find(spec_.workloads, point.workload, &WorkloadSpec::name);
    return found == spec_.workloads.end() ? PointSettings() : found->variant;
}

std::string PointTable::csv() const {
    const std::vector<std::string> names = metrics();
    std::string text = "number,workload,machine_hash";
    for (const std::string& parameter : variant_parameters_) {
        text += "," + trace::csv_field(parameter);
    }
    for (const std::string& parameter : parameters_) text += "," + trace::csv_field(parameter);
    for (const std::string& name : names) text += "," + trace::csv_field(name);
    text += ",failure,okksim_version,machine,schema_version\n";
    for (const StoredPoint& point : points_) {
        text += fmt::format("{},{},{:016x}", point.number, trace::csv_field(point.workload),
                            point.machine);
        const PointSettings own = variant(point);
        for (const std::string& parameter : variant_parameters_) {
            const auto found = std::ranges::find(own, parameter, &PointSettings::value_type::first);
            text += "," + (found == own.end() ? "" : trace::csv_field(found->second));
        }
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
        for (const auto& [path, value] : variant(point)) entry["settings"][path] = value;
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
