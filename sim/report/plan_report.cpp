// SPDX-License-Identifier: Apache-2.0
#include "sim/report/plan_report.h"

#include <nlohmann/json.hpp>

#include "firmware/host/report_json.h"

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

}  // namespace okksim::sim::report
