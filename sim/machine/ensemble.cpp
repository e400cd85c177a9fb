// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/ensemble.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "isa/base/errors.h"

namespace okksim::sim {

extern const char* const kBm1684EnsembleText;

namespace {

/// Interpolates linearly between the sorted times.
double quantile_of(const std::vector<double>& sorted, double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    const double part = place - std::floor(place);
    return sorted[below] * (1 - part) + sorted[above] * part;
}

template <typename T>
std::vector<T> list_of(const toml::array* array, std::size_t size, const std::string& path) {
    if (array == nullptr) throw ConfigError(path, "is missing or no list");
    std::vector<T> values;
    for (const toml::node& node : *array) {
        const auto value = node.value<T>();
        if (!value) throw ConfigError(path, "holds a value of another type");
        values.push_back(*value);
    }
    if (size != 0 && values.size() != size) {
        throw ConfigError(path, fmt::format("holds {} values, must hold {}", values.size(), size));
    }
    return values;
}

/// Returns the parameters in which members differ from their machine.
std::set<std::string> varied_by(const Ensemble& ensemble) {
    std::set<std::string> paths;
    for (const EnsembleMember& member : ensemble.members) {
        for (const std::string& setting : member.settings) {
            paths.insert(setting.substr(0, setting.find('=')));
        }
    }
    return paths;
}

double number_of(const toml::table& table, const char* key, const std::string& name, double least) {
    const auto value = table[key].value<double>();
    if (!value || *value < least) {
        throw ConfigError(name + ": " + key, fmt::format("must be a number of at least {}", least));
    }
    return *value;
}

}  // namespace

Band spread(std::vector<double> times, double share) {
    OKKSIM_CHECK(!times.empty());
    std::sort(times.begin(), times.end());
    return {quantile_of(times, (1 - share) / 2), quantile_of(times, (1 + share) / 2)};
}

Band Ensemble::band(std::vector<double> times) const {
    const Band members = spread(std::move(times), share);
    return {members.low / widening, members.high * widening};
}

std::vector<Machine> Ensemble::machines() const {
    std::vector<Machine> list;
    const MachineFamily family(machine);
    for (const EnsembleMember& member : members) {
        std::vector<std::string> all = member.settings;
        all.insert(all.end(), settings.begin(), settings.end());
        list.push_back(family.with(all));
    }
    return list;
}

Ensemble read_ensemble(const std::string& text, const std::string& name) try {
    const toml::table table = toml::parse(text, name);
    Ensemble ensemble;
    ensemble.machine = table["machine"].value_or(std::string());
    ensemble.share = number_of(table, "share", name, 0);
    ensemble.widening = number_of(table, "widening", name, 1);
    const auto paths =
        list_of<std::string>(table["parameters"].as_array(), 0, name + ": parameters");
    const auto cases = list_of<std::string>(table["cases"].as_array(), 0, name + ": cases");
    const toml::array* const members = table["member"].as_array();
    if (members == nullptr || members->empty()) throw ConfigError(name + ": member", "is missing");
    for (std::size_t i = 0; i < members->size(); ++i) {
        const std::string path = fmt::format("{}: member {}", name, i);
        const toml::table* const entry = (*members)[i].as_table();
        if (entry == nullptr) throw ConfigError(path, "is no table");
        const auto values =
            list_of<double>((*entry)["values"].as_array(), paths.size(), path + ".values");
        const auto drawn =
            list_of<std::int64_t>((*entry)["drawn"].as_array(), cases.size(), path + ".drawn");
        EnsembleMember& member = ensemble.members.emplace_back();
        for (std::size_t k = 0; k < paths.size(); ++k) {
            member.settings.push_back(fmt::format("{}={}", paths[k], values[k]));
        }
        for (std::size_t k = 0; k < cases.size(); ++k) {
            if (drawn[k] > 0) member.seen.push_back(cases[k]);
        }
    }
    return ensemble;
} catch (const toml::parse_error& error) {
    throw ConfigError(name, std::string(error.description()));
}

EnsembleOfMachine builtin_ensemble(const Machine& machine) {
    const std::string& base = builtin_machines().front();
    EnsembleOfMachine found{read_ensemble(kBm1684EnsembleText, base + ".ensemble.toml"), {}};
    const std::set<std::string> varied = varied_by(*found.ensemble);
    std::map<std::string, std::string> values;
    for (const ParameterRecord& record : load_machine(base).parameters) {
        values[record.path] = record.value;
    }
    for (const ParameterRecord& record : machine.parameters) {
        const auto same = values.find(record.path);
        if (same != values.end() && same->second == record.value) continue;
        if (varied.contains(record.path)) {
            return {std::nullopt,
                    fmt::format("the parameter sets fit machine {} only; this machine has "
                                "another {} ({})",
                                base, record.path, record.value)};
        }
        found.ensemble->settings.push_back(record.path + "=" + record.value);
    }
    return found;
}

}  // namespace okksim::sim
