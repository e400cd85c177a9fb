// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/sweep_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "isa/base/errors.h"
#include "isa/base/printable.h"
#include "sim/machine/machine.h"
#include "sim/machine/machine_text.h"
#include "sim/planning/machine_plan.h"
#include "sim/study/sweep/axis_reader.h"
#include "sim/study/sweep/spec_table.h"
#include "sim/study/sweep/workload_variants.h"

namespace okksim::sim::sweep {
namespace {

constexpr std::int64_t kMostPoints = 1'000'000'000;
/// Default number of points in a row without a change of the Pareto front, after which a search
/// ends.
constexpr std::int64_t kStall = 150;

/// Returns a text for one line of a script. ConfigError for control characters, such as line ends.
std::string in_one_line(std::string text, const std::string& where) {
    const bool is_line =
        std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
    if (is_line) return text;
    throw ConfigError(where, fmt::format("\"{}\" is not in one line", printable(text)));
}

std::filesystem::path path_of(const SweepSpec& spec, const std::optional<std::string>& text) {
    if (!text) return {};
    const std::filesystem::path path(*text);
    return path.is_absolute() ? path : spec.folder / path;
}

WorkloadSpec read_workload(SpecTable table, const SweepSpec& spec) {
    WorkloadSpec workload;
    workload.graph = path_of(spec, table.text("graph"));
    workload.trace = path_of(spec, table.text("trace"));
    workload.kernel = path_of(spec, table.text("kernel"));
    workload.zoo = table.text("zoo").value_or("");
    workload.function = table.text("function").value_or("");
    workload.shapes = table.texts("shapes");
    workload.rounding = table.text("rounding").value_or("");
    if (workload.graph.empty() && !workload.shapes.empty()) {
        throw ConfigError(table.where("shapes"), "is only for graphs");
    }
    if (workload.rounding != "" && workload.rounding != "double" && workload.rounding != "single") {
        throw ConfigError(table.where("rounding"),
                          "is \"" + printable(workload.rounding) + "\": give double or single");
    }
    workload.values = path_of(spec, table.text("values"));
    workload.launch = table.text("launch").value_or("");
    for (const std::string& argument : table.texts("arguments")) {
        const bool is_file = argument.starts_with("in=");
        workload.arguments.push_back(is_file ? "in=" + path_of(spec, argument.substr(3)).string()
                                             : argument);
    }
    for (const std::string& library : table.texts("libraries")) {
        workload.libraries.push_back(path_of(spec, library));
    }
    for (const char* option : {"precision", "batch", "size", "width"}) {
        const toml::node* node = table.node(option);
        if (node == nullptr) continue;
        if (workload.zoo.empty())
            throw ConfigError(table.where(option), "is only for networks of the zoo");
        workload.zoo_options[option] = node->is_string() ? node->as_string()->get()
                                       : node->is_integer()
                                           ? fmt::format("{}", node->as_integer()->get())
                                           : fmt::format("{}", node->value_or(0.0));
    }
    const int given = (workload.graph.empty() ? 0 : 1) + (workload.trace.empty() ? 0 : 1) +
                      (workload.kernel.empty() ? 0 : 1) + (workload.zoo.empty() ? 0 : 1);
    if (given != 1) {
        throw ConfigError(table.where("graph"),
                          "give one of: graph = \"FILE\", zoo = \"NAME\", kernel = \"LIBRARY\", "
                          "trace = \"FILE\"");
    }
    if (!workload.kernel.empty() && workload.launch.empty()) {
        throw ConfigError(table.where("launch"), "is missing: the kernel's name");
    }
    const std::string own =
        !workload.zoo.empty() ? workload.zoo
        : !workload.launch.empty()
            ? workload.launch
            : (workload.graph.empty() ? workload.trace : workload.graph).stem().string();
    workload.name = table.text("name").value_or(own);
    table.finish();
    return workload;
}

void read_workloads(SpecTable& root, SweepSpec& spec) {
    std::set<std::string> names;
    for (const toml::table* table : root.tables("workload")) {
        spec.workloads.push_back(read_workload({*table, root.file(), "workload"}, spec));
        if (!names.insert(spec.workloads.back().name).second) {
            throw ConfigError(
                root.where("workload"),
                fmt::format(
                    "two workloads have the name \"{}\"; give one of them another name = ...",
                    printable(spec.workloads.back().name)));
        }
    }
    if (spec.workloads.empty()) {
        throw ConfigError(root.file(), "has no [[workload]]; add one");
    }
}

void read_axes(SpecTable& root, const Machine& base, SweepSpec& spec) {
    std::set<std::string> varied;
    for (const toml::table* table : root.tables("axis")) {
        SpecTable axis(*table, root.file(), "axis");
        spec.axes.push_back(read_axis(axis, base, spec.points != 0));
        std::set<std::string> own;
        for (const AxisValue& value : spec.axes.back().values) {
            for (const auto& [parameter, text] : value.settings) own.insert(parameter);
        }
        if (spec.axes.back().interval) own.insert(spec.axes.back().name);
        for (const std::string& parameter : own) {
            if (varied.insert(parameter).second) continue;
            throw ConfigError(axis.where("parameter"),
                              fmt::format("{} is varied by two axes", printable(parameter)));
        }
    }
    const toml::node* spread = root.node("every_parameter");
    if (spread == nullptr) return;
    const auto share = number_from(*spread);
    if (spec.sampling != Sampling::kEach || !share || !(*share > 0 && *share < 1)) {
        throw ConfigError(root.where("every_parameter"),
                          "is only for mode = \"each\": a share between 0 and 1 that varies every "
                          "parameter without an axis up and down");
    }
    for (Axis& axis : axes_of_all_parameters(base, *share)) {
        if (varied.insert(axis.name).second) spec.axes.push_back(std::move(axis));
    }
}

void read_metric_texts(SpecTable& root, SweepSpec& spec) {
    const toml::table* metrics = root.table("metrics");
    // In the order of the file, as a metric may use those before it.
    std::map<std::pair<toml::source_index, toml::source_index>, std::string> keys;
    if (metrics != nullptr) {
        for (const auto& [key, node] : *metrics) {
            const toml::source_position at = node.source().begin;
            keys.emplace(std::make_pair(at.line, at.column), std::string(key.str()));
        }
    }
    for (const auto& [place, key] : keys) {
        const toml::node* node = metrics->get(key);
        if (!node->is_string()) {
            throw ConfigError(fmt::format("{}: metrics.{}", root.file(), printable(key)),
                              "must be a formula in quotes: \"us * area_mm2\"");
        }
        spec.places["metrics." + key] =
            fmt::format("{}:{}: metrics.{}", root.file(), place.first, printable(key));
        spec.metrics.emplace_back(key, node->as_string()->get());
    }
    spec.objectives = root.texts("objectives");
    if (spec.objectives.empty()) spec.objectives = {"us"};
}

void read_levels(SpecTable& root, SweepSpec& spec) {
    const toml::table* section = root.table("levels");
    if (section == nullptr) return;
    for (const auto& [key, node] : *section) {
        std::vector<double> levels;
        const toml::array* array = node.as_array();
        for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
            const auto number = number_from(*array->get(i));
            if (!number || !std::isfinite(*number)) array = nullptr;
            if (number) levels.push_back(*number);
        }
        if (array == nullptr || levels.empty()) {
            throw ConfigError(fmt::format("{}:{}: levels.{}", root.file(), node.source().begin.line,
                                          printable(key.str())),
                              "must be a list of numbers: [50, 100, 200]");
        }
        spec.places["levels." + std::string(key.str())] = fmt::format(
            "{}:{}: levels.{}", root.file(), node.source().begin.line, printable(key.str()));
        spec.levels.emplace_back(std::string(key.str()), std::move(levels));
    }
}

void read_slurm(SpecTable& root, SweepSpec& spec) {
    const toml::table* section = root.table("slurm");
    if (section == nullptr) return;
    SpecTable table(*section, root.file(), "slurm");
    const auto line = [&](const char* key) {
        return in_one_line(table.text(key).value_or(""), table.where(key));
    };
    spec.slurm.partition = line("partition");
    spec.slurm.time = line("time");
    spec.slurm.memory = line("memory");
    spec.slurm.shards = static_cast<int>(table.integer("shards", 1, 100000).value_or(0));
    table.finish();
}

void read_sampling(SpecTable& root, SweepSpec& spec) {
    spec.sampling = static_cast<Sampling>(
        root.choice("mode", {"grid", "random", "latin", "sobol", "search", "each"}).value_or(0));
    spec.points = static_cast<std::uint64_t>(root.integer("points", 1, kMostPoints).value_or(0));
    spec.seed = static_cast<std::uint64_t>(root.integer("seed", 0, INT64_MAX).value_or(1));
    const bool takes_all = spec.sampling == Sampling::kGrid || spec.sampling == Sampling::kEach;
    if ((spec.points != 0) == takes_all) {
        throw ConfigError(root.where("points"),
                          spec.points != 0
                              ? "is only for mode = \"random\", \"latin\", \"sobol\" and "
                                "\"search\"; the other modes use the points of their axes"
                              : "is missing; give the number of points");
    }
    const auto stall = root.integer("stall", 1, kMostPoints);
    if (stall && spec.sampling != Sampling::kSearch) {
        throw ConfigError(root.where("stall"), "is only for mode = \"search\"");
    }
    spec.stall = static_cast<std::uint64_t>(stall.value_or(kStall));
}

/// Loads the base machine. The message of an error names the sweep's key.
Machine base_of(SpecTable& root, const SweepSpec& spec) {
    try {
        return load_machine(spec.machine, spec.settings);
    } catch (const ConfigError& error) {
        throw ConfigError(root.where(spec.settings.empty() ? "machine" : "set"), error.what());
    }
}

SweepSpec parse(const std::string& text, const std::string& name,
                const std::filesystem::path& folder, const Machine* base) {
    const toml::table file = parse_text(text, name, "sim/study/sweep/README.md");
    SpecTable root(file, name, "");
    SweepSpec spec;
    spec.text = text;
    spec.folder = folder;
    spec.name = root.text("name").value_or(std::filesystem::path(name).stem().string());
    constexpr std::size_t kLongestName = 100;
    if (spec.name.empty() || spec.name.size() > kLongestName || spec.name.front() == '.' ||
        spec.name.find('/') != std::string::npos) {
        throw ConfigError(root.where("name"),
                          fmt::format("\"{}\" names the store's file: use 1 to {} letters without "
                                      "\"/\", not beginning with a dot",
                                      printable(spec.name), kLongestName));
    }
    spec.name = in_one_line(std::move(spec.name), root.where("name"));
    if (const auto machine = root.text("machine")) {
        const auto& known = builtin_machines();
        const bool is_builtin = std::ranges::find(known, *machine) != known.end();
        spec.machine = is_builtin ? *machine : path_of(spec, machine).string();
    }
    spec.settings = root.texts("set");
    read_sampling(root, spec);
    spec.planning = static_cast<Planning>(root.choice("plan", {"per-point", "fixed"}).value_or(0));
    spec.effort = static_cast<int>(root.integer("effort", 0, planning::kMostEffort).value_or(1));
    spec.bands = root.boolean("bands").value_or(false);
    spec.constraints = root.texts("constraints");
    read_workloads(root, spec);
    for (const char* key : {"objectives", "constraints", "workload"}) {
        spec.places[key] = root.where(key);
    }
    read_axes(root, base != nullptr ? *base : base_of(root, spec), spec);
    make_variants(spec.workloads, spec.axes, root.where("axis"));
    if (spec.points != 0 && spec.axes.empty()) {
        throw ConfigError(name, "needs an [[axis]] to choose points");
    }
    read_metric_texts(root, spec);
    read_levels(root, spec);
    read_slurm(root, spec);
    root.finish();
    return spec;
}

}  // namespace

SweepSpec parse_sweep(const std::string& text, const std::string& name, const Machine& base) {
    return parse(text, name, {}, &base);
}

SweepSpec read_sweep_text(const std::string& text, const std::filesystem::path& folder) {
    return parse(text, "sweep", std::filesystem::absolute(folder), nullptr);
}

SweepSpec read_sweep(const std::filesystem::path& file) {
    return parse(read_machine_file(file.string()), file.string(),
                 std::filesystem::absolute(file).parent_path(), nullptr);
}

}  // namespace okksim::sim::sweep
