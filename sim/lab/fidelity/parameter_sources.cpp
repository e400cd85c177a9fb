// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/parameter_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace okksim::sim::fidelity {
namespace {

struct Kind {
    std::string_view mark;  ///< first word of a source in sim/machines/bm1684.toml
    const char* by;
    const char* meaning;
};

constexpr std::array kKinds{
    Kind{"S", "datasheet", "public documentation states the value"},
    Kind{"M", "measurement", "a published measurement or the firmware library has it"},
    Kind{"E", "estimator", "the tables of the independent estimator have it"},
    Kind{"D", "law", "it follows from other numbers"},
    Kind{"fitted", "fit", "recorded kernels and their silicon times fix it"},
    Kind{"assumed", "assumption", "no source"},
};
constexpr const char* kUser = "user";

/// Sections of the machine file whose numbers become times.
constexpr std::array<std::string_view, 7> kSections{"chip.", "mcu.",  "host.",   "bdc.",
                                                    "gdma.", "dram.", "l2_port."};
/// Numbers of [chip] are sizes, except this one.
constexpr std::string_view kInterference = "chip.bank_interference";

bool determines_time(const ParameterRecord& parameter) {
    if (parameter.is_standard || !parameter.group.empty()) return false;
    if (parameter.path.starts_with("chip.")) return parameter.path == kInterference;
    return std::ranges::any_of(
        kSections, [&](std::string_view section) { return parameter.path.starts_with(section); });
}

/// Returns e.g. "datasheet 9, estimator 20".
std::string counts(const std::vector<FixedParameter>& parameters) {
    std::string text;
    for (const Kind& kind : kKinds) {
        const auto count = std::ranges::count(parameters, kind.by, &FixedParameter::by);
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kind.by, count);
    }
    return text;
}

}  // namespace

std::string evidence(const std::string& source) {
    const std::string mark = source.substr(0, source.find_first_of(": ("));
    for (const Kind& kind : kKinds) {
        if (mark == kind.mark) return kind.by;
    }
    return kUser;
}

std::vector<FixedParameter> fixed_parameters(const Machine& machine) {
    std::vector<FixedParameter> parameters;
    for (const ParameterRecord& record : machine.parameters) {
        if (!determines_time(record)) continue;
        parameters.push_back({record.path, record.value, evidence(record.source), record.source});
    }
    return parameters;
}

std::string to_text(const std::vector<FixedParameter>& parameters) {
    std::string text = fmt::format("Evidence that fixes each of {} numbers of times: {}\n",
                                   parameters.size(), counts(parameters));
    for (const FixedParameter& row : parameters) {
        text +=
            fmt::format("    {:<42} {:>9}  {:<11} {}\n", row.path, row.value, row.by, row.source);
    }
    return text + '\n';
}

std::string to_markdown(const std::vector<FixedParameter>& parameters) {
    std::string text = fmt::format(
        "\n"
        "## Evidence that fixes each of {} numbers of times\n"
        "{}.\n\n",
        parameters.size(), counts(parameters));
    for (const Kind& kind : kKinds) text += fmt::format("- {}: {}\n", kind.by, kind.meaning);
    text +=
        "\n"
        "| parameter | value | fixed by | source |\n"
        "|---|--:|---|---|\n";
    for (const FixedParameter& row : parameters) {
        text += fmt::format("| `{}` | {} | {} | {} |\n", row.path, row.value, row.by, row.source);
    }
    return text;
}

nlohmann::ordered_json to_json(const std::vector<FixedParameter>& parameters) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const FixedParameter& row : parameters) {
        json.push_back({{"parameter", row.path},
                        {"value", row.value},
                        {"fixed_by", row.by},
                        {"source", row.source}});
    }
    return json;
}

}  // namespace okksim::sim::fidelity
