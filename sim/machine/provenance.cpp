// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/provenance.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "isa/stop_request.h"

namespace okksim::sim {

const char* okksim_version() { return OKKSIM_VERSION; }

std::string stopped_text() { return "stopped early: " + StopRequest::text(); }

std::string provenance_text(const Machine& machine) {
    const std::string text = fmt::format("machine {} (hash {:016x}), okksim {}", machine.label(),
                                         machine.hash(), okksim_version());
    return StopRequest::signal() == 0 ? text : text + "\n" + stopped_text();
}

void add_provenance(nlohmann::ordered_json& json, const Machine& machine) {
    json["machine"] = machine.label();
    json["machine_hash"] = fmt::format("{:016x}", machine.hash());
    json["overrides"] = machine.overrides;
    add_version(json);
}

void add_version(nlohmann::ordered_json& json) {
    json["okksim_version"] = okksim_version();
    json["schema_version"] = kReportSchema;
    if (StopRequest::signal() != 0) json["stopped"] = StopRequest::text();
}

std::string provenance_column_names() {
    return ",machine,machine_hash,okksim_version,schema_version";
}

std::string provenance_columns(const Machine& machine) {
    std::string label = machine.label();
    for (char& c : label) {
        if (c == ',') c = ';';  // a field needs no quotes then
        if (c == '"' || c == '\n' || c == '\r') c = '_';
    }
    return fmt::format(",{},{:016x},{},{}", label, machine.hash(), okksim_version(), kReportSchema);
}

}  // namespace okksim::sim
