// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/report_json.h"

#include <nlohmann/json.hpp>

namespace okksim::firmware::host {

nlohmann::ordered_json fault_json(const std::optional<FaultRecord>& fault) {
    if (!fault) return nullptr;
    return {{"code", fault_code_name(fault->code)},
            {"function", fault->function},
            {"argument", fault->argument},
            {"value", fault->value},
            {"rule", fault->rule},
            {"advice", fault->advice},
            {"unit", fault->unit},
            {"message", fault->message()},
            {"call_stack", fault->call_stack}};
}

nlohmann::ordered_json findings_json(const std::vector<Finding>& findings) {
    auto list = nlohmann::ordered_json::array();
    for (const Finding& finding : findings) {
        list.push_back({{"kind", finding_kind_name(finding.kind)},
                        {"message", finding.message},
                        {"commands", finding.commands},
                        {"call_stack", finding.call_stack}});
    }
    return list;
}

void add_counts(nlohmann::ordered_json& json, const isa::CommandCounts& counts) {
    counts.visit(
        [&](isa::Engine kind, std::uint64_t count) { json[isa::count_name(kind)] = count; });
}

nlohmann::ordered_json launch_json(const LaunchReport& report, FindingRepeats& repeats) {
    nlohmann::ordered_json json{{"kernel", report.name}, {"simulated_us", report.simulated_us}};
    add_counts(json, report.commands);
    json["own_computing_timed"] = report.computations > 0;
    json["pointers_unseen"] = nullptr;
    if (report.unseen) {
        json["pointers_unseen"] = {{"seconds", report.unseen->seconds},
                                   {"of_seconds", report.unseen->of_seconds}};
    }
    json["fault"] = fault_json(report.fault);
    json["warnings"] = nlohmann::ordered_json::array();
    for (const Finding& finding : report.findings) {
        const int launches = repeats.take(finding);
        if (launches == 0) continue;
        json["warnings"].push_back(findings_json({finding}).front());
        json["warnings"].back()["launches"] = launches;
    }
    return json;
}

FindingRepeats repeats_of(const std::vector<LaunchReport>& reports) {
    FindingRepeats repeats;
    for (const LaunchReport& report : reports) repeats.add(report.findings);
    return repeats;
}

std::string json_text(const nlohmann::ordered_json& json) {
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace okksim::firmware::host
