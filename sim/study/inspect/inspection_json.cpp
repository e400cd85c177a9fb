// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/machine/provenance.h"
#include "sim/report/limit_report.h"
#include "sim/study/inspect/inspection.h"

namespace okksim::sim::inspect {
namespace {

using Json = nlohmann::ordered_json;

Json values_json(const std::vector<ModelValue>& values) {
    Json list = Json::array();
    for (const ModelValue& value : values) {
        list.push_back({{"name", value.name}, {"type", value.type}, {"shape", value.shape}});
    }
    return list;
}

Json uses_json(const ModelFacts& facts) {
    Json list = Json::array();
    for (const OperatorUse& use : facts.uses) {
        list.push_back({{"operator", tosa::op_name(use.mode.op)},
                        {"count", use.mode.count},
                        {"data_types", use.mode.mode},
                        {"needs", use.mode.needs},
                        {"supported", use.supported}});
    }
    return list;
}

Json unsupported_json(const ModelFacts& facts) {
    Json list = Json::array();
    for (const UnsupportedOperator& item : facts.unsupported) {
        list.push_back({{"what", item.what},
                        {"count", item.count},
                        {"place", item.place},
                        {"advice", item.advice}});
    }
    return list;
}

Json work_json(const ModelFacts& facts) {
    Json list = Json::array();
    for (const KindWork& kind : facts.work) {
        list.push_back({{"operator", kind.kind},
                        {"operations", kind.operations},
                        {"multiply_adds", kind.multiply_adds}});
    }
    return list;
}

Json facts_json(const Inspection& inspection) {
    const ModelFacts& facts = inspection.facts;
    return {{"model", inspection.model},
            {"supported", facts.supported()},
            {"form", facts.form},
            {"version", facts.version},
            {"level", "8K"},
            {"file_bytes", inspection.file_bytes},
            {"inputs", values_json(facts.inputs)},
            {"outputs", values_json(facts.outputs)},
            {"operator_count", facts.operators},
            {"parameters", facts.parameters},
            {"parameter_bytes", facts.parameter_bytes},
            {"multiply_adds", facts.multiply_adds()},
            {"operations", facts.operations()},
            {"work", work_json(facts)},
            {"needs", facts.features},
            {"violation", facts.violation},
            {"memory_bytes", facts.memory_bytes},
            {"memory_problem", facts.memory_problem},
            {"missing_weights", facts.missing_weights},
            {"emulated_types", planning::emulation_json(facts.emulated)},
            {"errors", facts.errors},
            {"unread", unsupported_json(facts)},
            {"operators", uses_json(facts)}};
}

Json remedies_json(const std::vector<Remedy>& remedies) {
    Json list = Json::array();
    for (const Remedy& remedy : remedies) {
        list.push_back({{"what", remedy.what}, {"flags", remedy.flags}});
        list.back()["us"] = remedy.failure.empty() ? Json(remedy.us) : Json(nullptr);
        list.back()["failure"] = remedy.failure;
    }
    return list;
}

void add_time(Json& json, const Inspection& inspection, const Machine& machine) {
    const execution::ModelRun& run = *inspection.run;
    if (run.report.fault) {
        json["time"] = {{"us", nullptr}, {"failure", run.report.fault->message()}};
        return;
    }
    const report::LimitedRun limited{run.report, run.memory, run.limits, run.steps, machine.params};
    json["time"] = {{"us", (run.report.end - run.report.start).microseconds()},
                    {"failure", ""},
                    {"floor", report::floor_json(limited)},
                    {"reachable_bound", report::bound_json(run.limits.whole)},
                    {"steps_beside_bounds", report::step_limits_json(limited)}};
    json["remedies"] = remedies_json(inspection.remedies);
}

}  // namespace

Json inspection_json(const Inspection& inspection, const Machine& machine) {
    Json json = facts_json(inspection);
    if (inspection.run) add_time(json, inspection, machine);
    add_provenance(json, machine);
    return json;
}

}  // namespace okksim::sim::inspect
