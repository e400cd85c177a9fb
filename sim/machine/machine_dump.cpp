// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/machine/provenance.h"

namespace okksim::sim {

std::string dump_machine(const Machine& machine) {
    std::string text = fmt::format("# {}, {}: value, unit, meaning, source.\n",
                                   machine_text(machine), version_text());
    std::string section;
    for (const ParameterRecord& parameter : machine.parameters) {
        const auto dot = parameter.path.rfind('.');
        if (parameter.path.substr(0, dot) != section) {
            section = parameter.path.substr(0, dot);
            text += fmt::format("\n[{}]\n", section);
        }
        const std::string assignment =
            fmt::format("{} = {}", parameter.path.substr(dot + 1), parameter.value);
        text += fmt::format("{:<38} # {} | {} | {}\n", assignment, parameter.unit,
                            parameter.meaning, parameter.source);
    }
    return text;
}

/// TOML and JSON numbers have the same form, except for hexadecimal ones.
static nlohmann::ordered_json json_value(const std::string& text) {
    if (text.starts_with("0x")) return std::stoll(text, nullptr, 16);
    return nlohmann::ordered_json::parse(text);
}

std::string dump_machine_json(const Machine& machine) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    add_provenance(json, machine);
    json["hash"] = fmt::format("{:016x}", machine.hash());
    json["parameters"] = nlohmann::ordered_json::array();
    for (const ParameterRecord& parameter : machine.parameters) {
        json["parameters"].push_back({{"path", parameter.path},
                                      {"value", json_value(parameter.value)},
                                      {"unit", parameter.unit},
                                      {"meaning", parameter.meaning},
                                      {"source", parameter.source}});
    }
    return json.dump(2) + "\n";
}

}  // namespace okksim::sim
