// SPDX-License-Identifier: Apache-2.0
#include "sim/report/plan_report.h"

#include <nlohmann/json.hpp>

#include "firmware/host/report_json.h"
#include "sim/machine/provenance.h"
#include "sim/planning/stored_plan.h"

namespace okksim::sim::report {

nlohmann::ordered_json plan_steps_json(const std::vector<planning::StepCost>& steps) {
    auto list = nlohmann::ordered_json::array();
    for (const planning::StepCost& step : steps) {
        nlohmann::ordered_json entry{{"block", step.block},     {"index", step.op_index},
                                     {"operator", step.kernel}, {"output", step.output},
                                     {"origin", step.origin},   {"shape", step.shape}};
        firmware::host::add_counts(entry, step.commands);
        entry.update(nlohmann::ordered_json{{"parallel_sections", step.parallel_sections},
                                            {"bytes_moved", step.bytes_moved},
                                            {"local_bytes", step.local_bytes},
                                            {"argument_words", step.argument_words},
                                            {"microseconds_alone", step.microseconds},
                                            {"simulated_us", step.microseconds},
                                            {"note", step.note}});
        list.push_back(std::move(entry));
    }
    return list;
}

nlohmann::ordered_json plan_json(const graph::Graph& graph, const planning::GraphPlan& plan,
                                 const Machine& machine) {
    nlohmann::ordered_json json{{"constant_bytes", plan.constant_bytes},
                                {"variable_bytes", plan.variable_bytes},
                                {"working_bytes", plan.working_bytes},
                                {"steps", plan_steps_json(plan.costs)}};
    add_provenance(json, machine);
    json["choices"] = planning::plan_choices_json(graph, plan, machine);
    return json;
}

}  // namespace okksim::sim::report
