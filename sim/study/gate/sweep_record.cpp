// SPDX-License-Identifier: Apache-2.0
#include "sim/study/gate/sweep_record.h"

#include <fmt/format.h>

#include <new>
#include <nlohmann/json.hpp>

#include "isa/base/errors.h"
#include "isa/base/input_file.h"
#include "isa/base/json_problem.h"
#include "isa/base/output_file.h"
#include "isa/base/stop_request.h"
#include "sim/study/gate/baseline_files.h"
#include "sim/study/sweep/design.h"
#include "sim/study/sweep/figures.h"
#include "sim/study/sweep/machine_rows.h"
#include "sim/study/sweep/workload.h"

namespace okksim::sim::gate {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const SweepPoint& point) {
    Json json{{"settings", point.settings}};
    if (!point.failure.empty()) {
        json["failure"] = point.failure;
        return json;
    }
    json["objectives"] = point.objectives;
    json["figures"] = Json::object();
    for (const auto& [name, value] : point.figures) json["figures"][name] = value;
    return json;
}

SweepPoint point_from(const Json& json, std::size_t objectives) {
    SweepPoint point;
    point.settings = json.at("settings");
    if (json.contains("failure")) {
        point.failure = json.at("failure");
        return point;
    }
    point.objectives = json.at("objectives").get<std::vector<double>>();
    if (point.objectives.size() != objectives) {
        throw ConfigError("points.objectives", fmt::format("has {} numbers instead of {}",
                                                           point.objectives.size(), objectives));
    }
    for (const auto& [name, value] : json.at("figures").items()) {
        point.figures.emplace_back(name, value.get<double>());
    }
    return point;
}

/// Checks that the objectives and the metrics of a machine agree. Otherwise a value was edited.
void check_point(const SweepPoint& point, const std::vector<std::string>& objectives) {
    const auto fail = [&](const std::string& text) {
        throw ConfigError(point.settings, text +
                                              ": a value was edited; make the folder again with "
                                              "`okksim baseline -o DIR`");
    };
    sweep::Figures figures;
    for (const auto& [name, value] : point.figures) {
        if (!sweep::figure_index(name)) fail(name + " is no metric");
        figures.set(name, value);
    }
    if (const auto text = sweep::contradiction(figures)) fail(*text);
    for (std::size_t i = 0; i < objectives.size(); ++i) {
        // Other objectives are formulas.
        const auto figure = figures.get(objectives[i]);
        if (figure && *figure != point.objectives[i]) {
            fail(fmt::format("the objective {} is {}, but its metric is {}", objectives[i],
                             point.objectives[i], *figure));
        }
    }
}

/// Rounds to twelve digits: further digits of energies depend on the host's power function.
double rounded(double value) { return std::stod(fmt::format("{:.12g}", value)); }

/// Returns the results of one machine, or the reason why it does not run.
SweepPoint run_point(sweep::Workload& workload, const MachineFamily& family,
                     const sweep::PointSettings& settings, const sweep::PointMetrics& metrics) {
    SweepPoint point;
    point.settings = sweep::settings_label(settings);
    std::vector<std::string> machine;
    for (const auto& [path, value] : settings) machine.push_back(path + '=' + value);
    sweep::StoredPoint stored;
    stored.settings = settings;
    try {
        stored.result.figures = workload.run(family.with(machine));
        for (const double value : metrics.objectives({&stored})) {
            point.objectives.push_back(rounded(value));
        }
        for (const std::string& name : sweep::figure_names()) {
            const double value = stored.result.figures.get(name).value_or(0);
            if (value != 0) point.figures.emplace_back(name, rounded(value));
        }
    } catch (const std::bad_alloc&) {
        throw;  // concerns the host
    } catch (const std::exception& error) {
        point.failure = error.what();
    }
    return point;
}

}  // namespace

double SweepPoint::figure(const std::string& name) const {
    for (const auto& [known, value] : figures) {
        if (known == name) return value;
    }
    return 0;
}

SweepRecord run_sweep_record(const std::string& name, const sweep::SweepSpec& spec,
                             const Machine& machine) {
    OKKSIM_CHECK(spec.workloads.size() == 1);
    const MachineFamily family = MachineFamily::of_text(dump_machine(machine), machine.name);
    const auto workload = sweep::make_workload(spec.workloads[0], {},
                                               {spec.planning, spec.effort, spec.bands}, machine);
    const sweep::PointMetrics metrics(spec, machine);
    SweepRecord record{
        name, machine.label(), fmt::format("{:016x}", machine.hash()), spec.objectives, {}};
    for (const sweep::PointSettings& settings : sweep::Design(spec, machine).points()) {
        StopRequest::check();
        record.points.push_back(run_point(*workload, family, settings, metrics));
    }
    return record;
}

std::string sweep_record_text(const SweepRecord& record) {
    Json json{{"name", record.name},
              {"machine", record.machine},
              {"machine_hash", record.machine_hash},
              {"objectives", record.objectives},
              {"points", Json::array()}};
    for (const SweepPoint& point : record.points) json["points"].push_back(to_json(point));
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void save_sweep_record(const SweepRecord& record, const std::filesystem::path& path) {
    write_file(path.string(), sweep_record_text(record));
}

SweepRecord parse_sweep_record(const std::string& text, const std::string& file) {
    try {
        const Json json = Json::parse(text);
        SweepRecord record{json.at("name"),
                           json.at("machine"),
                           json.at("machine_hash"),
                           json.at("objectives").get<std::vector<std::string>>(),
                           {}};
        for (const Json& point : json.at("points")) {
            record.points.push_back(point_from(point, record.objectives.size()));
            if (!record.points.back().failure.empty()) continue;
            check_point(record.points.back(), record.objectives);
        }
        if (record.points.empty()) throw ConfigError("points", "must not be empty");
        return record;
    } catch (const nlohmann::json::exception& error) {
        throw ConfigError(file, "is no sweep of `okksim baseline`: " + json_problem(error));
    } catch (const ConfigError& error) {
        throw ConfigError(file, std::string("is no sweep of `okksim baseline`: ") + error.what());
    }
}

SweepRecord load_sweep_record(const std::filesystem::path& path) {
    const std::string text = read_json_text(path, "it is a sweep of `okksim baseline`");
    SweepRecord record = parse_sweep_record(text, path.string());
    if (path.filename().string() != record.name + kSweepEnd) {
        throw ConfigError(path.string(), "is no sweep of `okksim baseline`: " + record.name +
                                             ": is another sweep than the file's name says");
    }
    return record;
}

}  // namespace okksim::sim::gate
