// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/provenance.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace okksim::sim {

const char* okksim_version() { return OKKSIM_VERSION; }

std::string provenance_text(const Machine& machine) {
    return fmt::format("machine {} (hash {:016x}), okksim {}", machine.label(), machine.hash(),
                       okksim_version());
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
