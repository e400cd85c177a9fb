// SPDX-License-Identifier: Apache-2.0
// Workloads that time a graph without data.
#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "isa/base/errors.h"
#include "isa/base/fnv1a.h"
#include "sim/device/kernel_library.h"
#include "sim/execution/random_input.h"
#include "sim/execution/timed_graph.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/input_options.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/machine_plan.h"
#include "sim/study/sweep/workload.h"
#include "sim/trace/kept_commands.h"
#include "sim/trace/replay.h"
#include "sim/zoo/zoo.h"

namespace okksim::sim::sweep {
namespace {

/// True if plans depend on the parameter; sections for the host, energy and area do not matter.
bool planner_reads(const std::string& path) {
    return !path.starts_with("host.") && !path.starts_with("energy.") && !path.starts_with("area.");
}

/// Returns a hash of the parameters that the planner reads.
std::uint64_t planning_hash(const Machine& machine) {
    isa::Fnv1a hash;
    for (const ParameterRecord& parameter : machine.parameters) {
        if (planner_reads(parameter.path)) hash.add(parameter.path + '=' + parameter.value + '\n');
    }
    return hash.value();
}

template <typename Number>
Number zoo_number(const std::string& text, const std::string& option) {
    Number number{};
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end) {
        throw ConfigError("zoo." + option, fmt::format("\"{}\" is no valid number", text));
    }
    return number;
}

zoo::Precision precision_of(const std::string& text) {
    if (text == "fp32") return zoo::Precision::kFp32;
    if (text == "fp16") return zoo::Precision::kFp16;
    if (text == "int8") return zoo::Precision::kInt8;
    throw ConfigError("zoo.precision",
                      fmt::format("\"{}\" is no precision; choose fp32, fp16 or int8", text));
}

/// Returns the network's options: the workload's options, overridden by the point's settings.
std::map<std::string, std::string> zoo_settings(const WorkloadSpec& spec,
                                                const RunSettings& settings) {
    std::map<std::string, std::string> all = spec.zoo_options;
    for (const auto& [name, value] : settings) {
        if (name.starts_with("zoo.")) all[name.substr(4)] = value;
    }
    return all;
}

zoo::ZooOptions zoo_options(const std::map<std::string, std::string>& settings) {
    zoo::ZooOptions options;
    for (const auto& [name, value] : settings) {
        if (name == "precision") options.precision = precision_of(value);
        if (name == "batch") options.batch = zoo_number<int>(value, name);
        if (name == "size") options.size = zoo_number<int>(value, name);
        if (name == "width") options.width = zoo_number<double>(value, name);
    }
    return options;
}

class GraphWorkload : public Workload {
 public:
    GraphWorkload(const WorkloadSpec& spec, const RunSettings& settings, const RunChoice& choice,
                  const Machine& base)
        : choice_(choice), base_(base) {
        for (const auto& library : spec.libraries) (void)KernelLibrary(library.string());
        load(spec, settings);
        graph::validate_graph(graph_);
        const auto effort = settings.find("run.effort");
        effort_ = effort == settings.end() ? choice.effort
                                           : zoo_number<int>(effort->second, "run.effort");
        if (effort_ < 0 || effort_ > planning::kMostEffort) {
            throw ConfigError("run.effort", fmt::format("{} is no -O level; choose 0 to {}",
                                                        effort_, planning::kMostEffort));
        }
        if (!spec.values.empty()) values_ = execution::load_values(spec.values);
        if (choice.planning == Planning::kFixed) plan_for(base_);
    }

    std::uint64_t hash() const override { return hash_; }
    std::string plan_name() const override {
        if (choice_.planning == Planning::kPerPoint) return fmt::format("per point, -O{}", effort_);
        return fmt::format("fixed for {:016x}, -O{}", base_.hash(), effort_);
    }

    Figures run(const Machine& machine) override {
        if (choice_.planning == Planning::kPerPoint) {
            plan_for(machine);
        } else {
            trace::check_same_layout(base_, machine, "the plan");
        }
        std::optional<trace::BandObserver> kept;
        std::optional<EnsembleOfMachine> ensemble;
        if (choice_.bands) ensemble = builtin_ensemble(machine);
        const bool has_band = ensemble && ensemble->ensemble;
        execution::TimedRunOptions options;
        options.starting = [&](const execution::StartedRun& started) {
            if (has_band) started.machine.add_observer(kept.emplace());
        };
        const execution::ExecutionReport report = execution::time_with_values(
            graph_, *plan_, machine, options, execution::seeded_inputs(graph_), values_);
        if (report.fault) throw ProgramFault(*report.fault);
        Figures figures =
            graph_figures(report, execution::memory_use(graph_, *plan_),
                          bound::reachable_bound(bound::scope_of(graph_), machine), machine);
        if (const auto band = has_band ? kept->band(*ensemble->ensemble) : std::nullopt) {
            figures.set("band_low_us", band->low);
            figures.set("band_high_us", band->high);
        }
        return figures;
    }

 private:
    void load(const WorkloadSpec& spec, const RunSettings& settings) {
        if (spec.zoo.empty()) {
            graph::InputShapes shapes;
            graph::add_shapes(spec.shapes, spec.name + ".shapes", shapes);
            graph::ReadOptions options = graph::input_options(shapes, {});
            options.function = spec.function;
            if (spec.rounding == "single") options.rounding = graph::Rounding::kSingle;
            graph_ = graph::load_graph(spec.graph, options);
            graph::check_input_shapes(graph_, shapes);
            isa::Fnv1a seed;
            seed.add(spec.function);
            for (const std::string& shape : spec.shapes) seed.add(' ' + shape);
            if (options.rounding == graph::Rounding::kSingle) seed.add(" single");
            hash_ = file_hash(spec.graph, seed.value());
        } else {
            const auto all = zoo_settings(spec, settings);
            graph_ = zoo::build_network(spec.zoo, zoo_options(all)).graph;
            isa::Fnv1a hash;
            hash.add("zoo " + spec.zoo);
            for (const auto& [name, value] : all) hash.add(' ' + name + '=' + value);
            hash_ = hash.value();
        }
        if (!spec.values.empty()) hash_ = file_hash(spec.values, hash_);
    }

    /// Plans again only if a parameter that the planner reads has changed.
    void plan_for(const Machine& machine) {
        const std::uint64_t hash = planning_hash(machine);
        if (plan_ && hash == planned_for_) return;
        plan_ = planning::plan_for_machine(graph_, machine, planning::effort_of(effort_));
        planned_for_ = hash;
    }

    RunChoice choice_;
    Machine base_;
    graph::Graph graph_;
    std::uint64_t hash_ = 0;
    int effort_ = 1;
    std::optional<execution::LoadedValues> values_;
    std::optional<planning::GraphPlan> plan_;
    std::uint64_t planned_for_ = 0;
};

}  // namespace

graph::Graph zoo_graph(const WorkloadSpec& spec) {
    const RunSettings variant(spec.variant.begin(), spec.variant.end());
    return zoo::build_network(spec.zoo, zoo_options(zoo_settings(spec, variant))).graph;
}

std::string zoo_precision(const WorkloadSpec& spec) {
    const RunSettings variant(spec.variant.begin(), spec.variant.end());
    const auto settings = zoo_settings(spec, variant);
    const auto precision = settings.find("precision");
    return precision == settings.end() ? "fp32" : precision->second;
}

std::unique_ptr<Workload> make_graph_workload(const WorkloadSpec& spec, const RunSettings& settings,
                                              const RunChoice& choice, const Machine& base) {
    return std::make_unique<GraphWorkload>(spec, settings, choice, base);
}

}  // namespace okksim::sim::sweep
