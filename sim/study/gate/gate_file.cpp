// SPDX-License-Identifier: Apache-2.0
#include "sim/study/gate/gate_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "isa/base/errors.h"
#include "isa/base/output_file.h"
#include "isa/base/printable.h"
#include "sim/machine/machine_text.h"
#include "sim/study/gate/workload_runs.h"
#include "sim/study/sweep/workload_reader.h"

namespace okksim::sim::gate {
namespace {

namespace fs = std::filesystem;
using sweep::SpecTable;

constexpr const char* kKinds =
    "give one of: graph = \"FILE\", zoo = \"NAME\", kernel = \"LIBRARY\", trace = \"FILE\", "
    "sweep = \"FILE\"";

double threshold_of(SpecTable& table, double standard) {
    const toml::node* node = table.node("threshold");
    if (node == nullptr) return standard;
    if (const auto text = table.node("threshold")->value<std::string>(); node->is_string() && text)
        return share_from(*text, table.where("threshold"));
    const auto number = sweep::number_from(*node);
    if (!number) {
        throw ConfigError(table.where("threshold"), "must be a share such as \"2%\" or 0.02");
    }
    return share_from(fmt::format("{}", *number), table.where("threshold"));
}

std::vector<std::string> text_or_texts(SpecTable& table, const char* key) {
    const toml::node* node = table.node(key);
    if (node != nullptr && node->is_string()) return {*table.text(key)};
    return table.texts(key);
}

MachineTexts machines_of(SpecTable& table, const fs::path& folder) {
    MachineTexts texts{text_or_texts(table, "machine"), table.texts("set")};
    const auto& known = builtin_machines();
    for (std::string& machine : texts.machines) {
        if (std::ranges::find(known, machine) == known.end() && machine.ends_with(".toml"))
            machine = sweep::path_in(folder, machine).string();
    }
    return texts;
}

std::optional<double> limit(SpecTable& table, const char* key) {
    const toml::node* node = table.node(key);
    if (node == nullptr) return std::nullopt;
    const auto number = sweep::number_from(*node);
    if (!number || !(*number >= 0) || std::isinf(*number)) {
        throw ConfigError(table.where(key), "must be a number of at least 0");
    }
    return number;
}

/// ConfigError unless the file exists. No output of this process replaces it then.
void require_there(const fs::path& path, const std::string& where) {
    if (fs::is_directory(path)) return note_read_folder(path, {".npy"});
    if (fs::exists(path)) return note_read_file(path);
    throw ConfigError(where, fmt::format("the file {} does not exist", printable(path.string())));
}

GateLimits limits_of(SpecTable& workload, const fs::path& folder, bool has_results) {
    GateLimits limits;
    const toml::table* section = workload.table("limits");
    if (section == nullptr) return limits;
    SpecTable table(*section, workload.file(), "workload.limits");
    limits.time_us = limit(table, "time_us");
    limits.commands = limit(table, "commands");
    limits.bytes = limit(table, "bytes");
    limits.energy_uj = limit(table, "energy_uj");
    for (const std::string& text : text_or_texts(table, "result")) {
        limits.result.push_back(sweep::path_in(folder, text));
        require_there(limits.result.back(), table.where("result"));
    }
    const auto relative = limit(table, "relative"), absolute = limit(table, "absolute");
    limits.relative = relative.value_or(0);
    limits.absolute = absolute.value_or(0);
    if (!has_results && !limits.result.empty()) {
        throw ConfigError(table.where("result"),
                          "is only for kernels and graphs, because a trace has no data");
    }
    for (const char* tolerance : {"relative", "absolute"}) {
        if (table.has(tolerance) && limits.result.empty()) {
            throw ConfigError(table.where(tolerance), "is the tolerance of `result`; add result");
        }
    }
    table.finish();
    return limits;
}

/// ConfigError for a key that has no effect on this kind of workload.
void refuse(SpecTable& table, std::initializer_list<const char*> keys, const char* what) {
    for (const char* key : keys) {
        if (table.has(key)) {
            throw ConfigError(table.where(key), fmt::format("is only for {}; remove it", what));
        }
    }
}

void read_graph_keys(SpecTable& table, const fs::path& folder, GateWorkload& workload) {
    if (const toml::table* inputs = table.table("inputs")) {
        for (const auto& [key, node] : *inputs) {
            if (!node.is_string()) {
                throw ConfigError(table.where("inputs"),
                                  fmt::format("{} must be a .npy file or a shape such as "
                                              "\"1x224x224x3\" in quotes",
                                              printable(key.str())));
            }
            const std::string text = node.as_string()->get();
            if (text.ends_with(".npy"))
                require_there(sweep::path_in(folder, text), table.where("inputs"));
            workload.inputs[std::string(key.str())] =
                text.ends_with(".npy") ? sweep::path_in(folder, text).string() : text;
        }
    }
    workload.effort = static_cast<int>(table.integer("effort", 0, most_effort()).value_or(1));
    workload.data = table.boolean("data").value_or(false);
}

void check_name(const std::string& name, const std::string& where) {
    const bool fits = !name.empty() && name.size() <= 100 && name.front() != '.' &&
                      std::ranges::all_of(name, [](unsigned char c) {
                          return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-';
                      });
    if (fits) return;
    throw ConfigError(where,
                      fmt::format("\"{}\" names files of the baseline: use 1 to 100 letters, "
                                  "digits, \".\", \"_\" and \"-\", not beginning with \".\"",
                                  printable(name)));
}

/// Reads the keys that only some kinds of workloads have.
void read_kind(SpecTable& table, const fs::path& folder, GateWorkload& workload) {
    const sweep::WorkloadSpec& what = workload.what;
    const bool is_graph = !what.graph.empty() || !what.zoo.empty();
    if (what.graph.empty()) {
        refuse(table, {"function", "values", "libraries", "inputs"},
               "workloads with graph = \"FILE\"");
    }
    if (what.kernel.empty()) refuse(table, {"launch", "arguments", "packed"}, "kernels");
    if (!is_graph) refuse(table, {"effort", "data"}, "graphs and networks");
    if (!what.trace.empty()) refuse(table, {"strict"}, "kernels, graphs and networks");
    if (is_graph) read_graph_keys(table, folder, workload);
    workload.packed = table.boolean("packed").value_or(false);
    std::vector<std::pair<fs::path, const char*>> files{{what.graph, "graph"},
                                                        {what.kernel, "kernel"},
                                                        {what.trace, "trace"},
                                                        {what.values, "values"}};
    for (const auto& library : what.libraries) files.emplace_back(library, "libraries");
    for (const std::string& argument : what.arguments) {
        if (argument.starts_with("in=")) files.emplace_back(argument.substr(3), "arguments");
    }
    for (const auto& [path, key] : files) {
        if (!path.empty()) require_there(path, table.where(key));
    }
}

GateWorkload workload_from(SpecTable& table, const GateDefaults& defaults) {
    GateWorkload workload;
    // A misspelled key is reported before the key that is then missing.
    for (const char* key : {"graph",     "zoo",      "kernel", "trace",     "sweep",  "name",
                            "threshold", "machine",  "set",    "strict",    "launch", "arguments",
                            "packed",    "function", "inputs", "libraries", "values", "precision",
                            "batch",     "size",     "width",  "effort",    "data",   "limits"}) {
        (void)table.has(key);
    }
    table.finish();
    int given = 0;
    for (const char* kind : {"graph", "zoo", "kernel", "trace", "sweep"}) {
        if (table.has(kind)) ++given;
    }
    if (given != 1) throw ConfigError(table.where("graph"), kKinds);
    workload.sweep = sweep::path_in(defaults.folder, table.text("sweep"));
    if (workload.sweep.empty()) {
        workload.what = sweep::read_workload(table, defaults.folder);
        workload.name = workload.what.name;
        workload.strict = table.boolean("strict").value_or(defaults.strict);
        read_kind(table, defaults.folder, workload);
        workload.limits = limits_of(table, defaults.folder, workload.what.trace.empty());
        if (!workload.limits.result.empty()) workload.data = true;
    } else {
        require_there(workload.sweep, table.where("sweep"));
        refuse(table, {"machine", "set", "limits"},
               "other workloads: the sweep's file has its machine and its [levels]");
        workload.name = table.text("name").value_or(workload.sweep.stem().string());
    }
    check_name(workload.name, table.where("name"));
    workload.threshold = threshold_of(table, defaults.threshold);
    return workload;
}

void read_workloads(SpecTable& root, const GateDefaults& defaults, GateFile& gate) {
    std::set<std::string> names;
    for (const toml::table* section : root.tables("workload")) {
        SpecTable table(*section, root.file(), "workload");
        const GateWorkload workload = workload_from(table, defaults);
        const std::size_t before = gate.tasks.size();
        if (workload.sweep.empty()) {
            const MachineTexts own = machines_of(table, defaults.folder);
            const char* key = own.settings.empty() ? "machine" : "set";
            add_tasks(workload, own, defaults, table.where(key), gate.tasks);
        } else {
            add_sweep_tasks(workload, defaults, gate.tasks);
        }
        table.finish();
        for (std::size_t i = before; i < gate.tasks.size(); ++i) {
            if (names.insert(gate.tasks[i].name).second) continue;
            throw ConfigError(table.where("name"),
                              fmt::format("two workloads have the name \"{}\"; give one of them "
                                          "another name = ...",
                                          printable(gate.tasks[i].name)));
        }
    }
    if (gate.tasks.empty()) throw ConfigError(root.file(), "has no [[workload]]; add one");
}

}  // namespace

double share_from(const std::string& text, const std::string& where) {
    std::size_t used = 0;
    double value = -1;
    try {
        value = std::stod(text, &used);
    } catch (const std::exception&) {
        used = 0;
    }
    const bool is_percent = used + 1 == text.size() && text.back() == '%';
    if (used == 0 || (used != text.size() && !is_percent) || !(value >= 0) || std::isinf(value)) {
        throw ConfigError(where, "is not a share such as 2%, 2 or 0.02");
    }
    const double share = is_percent || value >= 1 ? value / 100 : value;
    if (share > 1) throw ConfigError(where, "is more than 100 %: every slow-down would pass");
    return share;
}

GateFile read_gate(const fs::path& file, const std::vector<std::string>& settings) {
    const std::string text = read_machine_file(file.string());
    const toml::table parsed =
        parse_text(text, file.string(), "docs/how-to/gate-a-pull-request.md");
    SpecTable root(parsed, file.string(), "");
    GateDefaults defaults;
    defaults.folder = fs::absolute(file).parent_path();
    defaults.settings = settings;
    GateFile gate;
    gate.file = file;
    gate.base = defaults.folder / "baseline";
    gate.threshold = kThreshold;
    if (const toml::table* section = root.table("gate")) {
        SpecTable table(*section, file.string(), "gate");
        defaults.machines = machines_of(table, defaults.folder);
        defaults.threshold = gate.threshold = threshold_of(table, kThreshold);
        defaults.strict = table.boolean("strict").value_or(false);
        if (const auto base = table.text("base")) gate.base = sweep::path_in(defaults.folder, base);
        table.finish();
    }
    read_workloads(root, defaults, gate);
    root.finish();
    return gate;
}

}  // namespace okksim::sim::gate
