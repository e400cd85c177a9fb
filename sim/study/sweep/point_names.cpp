// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/point_names.h"

#include <algorithm>
#include <charconv>

#include "sim/machine/machine_text.h"
#include "sim/study/sweep/axis_reader.h"

namespace okksim::sim::sweep {

bool is_of_run(const std::string& path) {
    return path.starts_with("run.") || path.starts_with("zoo.");
}

std::optional<double> number_of(const std::string& text) {
    double number = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number);
    if (parsed.ec == std::errc() && parsed.ptr == end) return number;
    if (const auto bytes = bytes_from(text)) return static_cast<double>(*bytes);
    return std::nullopt;
}

ParameterNames::ParameterNames(const Machine& base) {
    std::map<std::string, int> uses;
    const auto short_name = [](const std::string& path) {
        return path.substr(path.rfind('.') + 1);
    };
    for (const std::string& path : run_parameters()) paths_[path] = path;
    for (const ParameterRecord& record : base.parameters) {
        base_[record.path] = record.value;
        paths_[record.path] = record.path;
        ++uses[short_name(record.path)];
    }
    for (const ParameterRecord& record : base.parameters) {
        const std::string name = short_name(record.path);
        if (uses[name] == 1) paths_[name] = record.path;
    }
    for (const auto& [name, path] : paths_) known_.push_back(name);
}

std::optional<std::string> ParameterNames::path(const std::string& name) const {
    const auto found = paths_.find(path_of_today(name));
    return found == paths_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> ParameterNames::value(const std::string& name,
                                            const PointSettings& settings) const {
    const auto parameter = path(name);
    if (!parameter) return std::nullopt;
    for (const auto& [path, text] : settings) {
        if (path_of_today(path) == *parameter) return number_of(text);
    }
    const auto found = base_.find(*parameter);
    return found == base_.end() ? std::nullopt : number_of(found->second);
}

}  // namespace okksim::sim::sweep
