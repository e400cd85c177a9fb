// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "models/energy/energy.h"
#include "sim/machine/provenance.h"
#include "sim/study/worth/worth_answers.h"
#include "sim/study/worth/worth_report.h"
#include "sim/trace/account_report.h"

namespace okksim::sim::worth {
namespace {

using Json = nlohmann::ordered_json;

/// Returns null for a number that JSON cannot represent.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json keys_json(GroupSet groups) {
    Json keys = Json::array();
    for (const isa::Feature group : groups.list()) {
        keys.push_back(isa::feature_info(group).key);
    }
    return keys;
}

Json groups_json(const MachineStudy& study, const std::vector<NetworkWorth>& networks) {
    const Machine& all = study.machine_of(study.points.front());
    const GroupSet unused = unused_groups(study, networks);
    Json groups = Json::array();
    for (const isa::Feature group : study.concerned().list()) {
        const GroupSet set(group);
        Json assumed = Json::array();
        for (const AssumedValue& value : assumed_values(all, group)) {
            assumed.push_back(
                {{"path", value.path}, {"value", value.value}, {"source", value.source}});
        }
        const models::energy::Banded area = models::energy::area_of(all.params, group);
        groups.push_back({{"key", isa::feature_info(group).key},
                          {"meaning", isa::feature_info(group).meaning},
                          {"looked_at", study.groups.has(group)},
                          {"needs", keys_json(set.with_needed().without(set))},
                          {"needed_by", keys_json(set.with_needing().without(set))},
                          {"area_mm2", area.value},
                          {"area_low_mm2", area.low},
                          {"area_high_mm2", area.high},
                          {"issued", !unused.has(group)},
                          {"assumed", std::move(assumed)}});
    }
    return groups;
}

Json points_json(const MachineStudy& study) {
    Json points = Json::array();
    for (const Point& point : study.points) {
        const Machine& machine = study.machine_of(point);
        Json entry{{"point", point.name(study.all)},
                   {"kind", kind_name(point.kind)},
                   {"named", keys_json(point.named)},
                   {"groups", keys_json(point.groups)}};
        if (point.kind == PointKind::kParameter) {
            entry["parameter"] = point.parameter;
            entry["value"] = point.value;
        }
        entry["machine"] = machine.label();
        entry["machine_hash"] = fmt::format("{:016x}", machine.hash());
        entry["area_mm2"] = area_mm2(machine);
        points.push_back(std::move(entry));
    }
    return points;
}

Json row_json(const MachineStudy& study, const WorthRow& row) {
    Json json{{"name", row.name}, {"points", Json::array()}, {"interactions", Json::array()}};
    for (std::size_t i = 0; i < row.points.size(); ++i) {
        const PointFigures& figures = row.points[i];
        const Difference other = difference(study, row, i);
        json["points"].push_back({{"us", number(figures.us)},
                                  {"launch_us", number(figures.launch_us)},
                                  {"commands", number(figures.commands)},
                                  {"dram_bytes", number(figures.dram_bytes)},
                                  {"energy_j", number(figures.energy_j)},
                                  {"ratio", number(other.ratio)},
                                  {"longer_us", number(other.us)},
                                  {"saved_mm2", number(other.mm2)},
                                  {"us_per_mm2", number(other.us_per_mm2)}});
    }
    for (const Interaction& pair : interactions(study, row)) {
        json["interactions"].push_back({{"groups", keys_json(pair.groups)},
                                        {"us", pair.us},
                                        {"sum_us", pair.sum_us},
                                        {"share", pair.share}});
    }
    return json;
}

/// Adds the keys that only a single network has: its operators, and the reason of a failure.
void add_network(Json& json, const MachineStudy& study, const NetworkWorth& network) {
    for (std::size_t i = 0; i < study.points.size(); ++i) {
        const NetworkRun& run = network.run(study.points[i]);
        Json& point = json["points"][i];
        if (!run.failure.empty()) point["failure"] = run.failure;
        for (const KindUse& use : run.kinds) {
            Json issued = Json::object();
            for (const isa::FeatureInfo& group : isa::kFeatures) {
                if (use.of(group.feature) > 0) issued[group.key] = use.of(group.feature);
            }
            point["operators"].push_back({{"operator", use.kind},
                                          {"us", use.us},
                                          {"steps", use.steps},
                                          {"commands", std::move(issued)}});
        }
    }
    json["operators"] = kinds_of(network);
}

/// Returns a number as a CSV field, which is empty if the value is unknown.
std::string cell(double value) { return std::isfinite(value) ? fmt::format(",{}", value) : ","; }

}  // namespace

Json worth_json(const MachineStudy& study, const std::vector<NetworkWorth>& networks) {
    Json json = Json::object();
    add_provenance(json, study.base);
    json["groups"] = groups_json(study, networks);
    json["points"] = points_json(study);
    json["networks"] = Json::array();
    for (const NetworkWorth& network : networks) {
        Json entry = row_json(study, row_of(study, network));
        add_network(entry, study, network);
        json["networks"].push_back(std::move(entry));
    }
    json["mean"] = row_json(study, mean_of(study, networks));
    return json;
}

std::string worth_csv(const MachineStudy& study, const std::vector<NetworkWorth>& networks) {
    std::string text =
        "network,kind,point,groups,parameter,value,us,launch_us,commands,dram_bytes,energy_j,"
        "area_mm2,ratio,longer_us,saved_mm2,us_per_mm2,failure" +
        provenance_column_names() + "\n";
    for (const NetworkWorth& network : networks) {
        const WorthRow row = row_of(study, network);
        for (std::size_t i = 0; i < study.points.size(); ++i) {
            const Point& point = study.points[i];
            const Machine& machine = study.machine_of(point);
            const PointFigures& figures = row.points[i];
            const Difference other = difference(study, row, i);
            text += fmt::format("{},{},{},{},{},{}", trace::csv_field(network.name),
                                kind_name(point.kind), trace::csv_field(point.name(study.all)),
                                trace::csv_field(point.groups.text()), point.parameter,
                                trace::csv_field(point.value));
            for (const double value : {figures.us, figures.launch_us, figures.commands,
                                       figures.dram_bytes, figures.energy_j, area_mm2(machine),
                                       other.ratio, other.us, other.mm2, other.us_per_mm2}) {
                text += cell(value);
            }
            text += "," + trace::csv_field(network.run(point).failure) +
                    provenance_columns(machine) + "\n";
        }
    }
    return text;
}

}  // namespace okksim::sim::worth
