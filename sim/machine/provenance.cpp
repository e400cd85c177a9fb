// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/provenance.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "isa/base/stop_request.h"

namespace okksim::sim {

const char* okksim_version() { return OKKSIM_VERSION; }

std::string stopped_text() { return "stopped early: " + StopRequest::text(); }

std::string version_text() {
    return fmt::format("okksim {}, report schema {}", okksim_version(), kReportSchema);
}

std::string machine_text(const Machine& machine) {
    return fmt::format("machine {} (hash {:016x})", machine.label(), machine.hash());
}

std::string provenance_text(const Machine& machine) {
    const std::string text = machine_text(machine) + ", " + version_text();
    return StopRequest::signal() == 0 ? text : text + "\n" + stopped_text();
}

void add_machine(nlohmann::ordered_json& json, const Machine& machine) {
    json["machine"] = machine.label();
    json["machine_hash"] = fmt::format("{:016x}", machine.hash());
    json["overrides"] = machine.overrides;
}

void add_provenance(nlohmann::ordered_json& json, const Machine& machine) {
    add_machine(json, machine);
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

std::string machine_cell(const Machine& machine) {
    std::string label = machine.label();
    for (char& c : label) {
        if (c == ',') c = ';';  // a field without commas needs no quotes
        if (c == '"' || c == '\n' || c == '\r') c = '_';
    }
    return label;
}

std::string provenance_columns(const Machine& machine) {
    return fmt::format(",{},{:016x},{},{}", machine_cell(machine), machine.hash(), okksim_version(),
                       kReportSchema);
}

}  // namespace okksim::sim
