// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "firmware/host/report_json.h"
#include "isa/base/printable.h"
#include "models/chip/chip_params.h"
#include "sim/cli/commands.h"
#include "sim/cli/common_options.h"
#include "sim/cli/output.h"
#include "sim/cli/report_output.h"
#include "sim/execution/executor.h"
#include "sim/execution/timed_graph.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/validate/validate.h"
#include "sim/machine/provenance.h"
#include "sim/planning/emulated_types.h"
#include "sim/planning/explain.h"
#include "sim/planning/machine_plan.h"
#include "sim/planning/plan_cache.h"
#include "sim/platform/thread_time.h"
#include "sim/report/limit_report.h"
#include "sim/report/plan_drawing.h"
#include "sim/report/plan_report.h"

namespace okksim::sim::cli {
namespace {

using planning::StepCost;

struct PlanFlags {
    GraphChoice graph;
    MachineChoice machine;
    planning::PlanEffort effort;
    std::string explained;
    std::string svg;
    std::string cache;
    ReportForms report;
};

/// A plan, its graph and its machine.
struct MadePlan {
    Machine machine;
    graph::Graph graph;
    planning::GraphPlan plan;
    double planning_ms = 0;  ///< processor time
    planning::SearchSpent search = {};
    std::string cached = {};  ///< message about --plan-cache
    std::vector<planning::EmulatedType> emulated = {};
    execution::MemoryUse memory = {};
    execution::RunLimits limits = {};
    /// Time of a run of the plan; contains a fault if the time depends on values of the run.
    execution::ExecutionReport timed = {};
    std::vector<execution::StepRun> steps = {};

    report::LimitedRun limited() const { return {timed, memory, limits, steps, machine.params}; }
};

MadePlan make_plan(const PlanFlags& flags) {
    MadePlan made{flags.machine.load(), flags.graph.load(), {}};
    graph::validate_graph(made.graph);
    const double start = thread_seconds();
    if (flags.cache.empty()) {
        made.plan =
            planning::plan_for_machine(made.graph, made.machine, flags.effort, &made.search);
    } else {
        planning::CachedPlan cached =
            planning::cached_plan(made.graph, made.machine, flags.effort, flags.cache);
        made.search = cached.spent;
        made.plan = std::move(cached.plan);
        made.cached = cached.is_new ? cached.note : "plan taken from " + flags.cache;
    }
    made.emulated = planning::emulated_types(made.graph, made.machine);
    made.planning_ms = (thread_seconds() - start) * 1e3;
    made.memory = execution::memory_use(made.graph, made.plan);
    made.limits = execution::run_limits(made.graph, made.plan, made.machine);
    execution::TimedRunOptions timing;
    timing.looks_for_mistakes = false;
    made.timed = execution::time_graph(made.graph, made.plan, made.machine, timing);
    made.steps = execution::step_runs(made.timed, made.limits, made.graph.main().name);
    return made;
}

void print_text(const MadePlan& made) {
    const planning::GraphPlan& plan = made.plan;
    std::string engines;
    isa::CommandCounts().visit([&](isa::Engine kind, std::uint64_t) {
        engines += fmt::format(" {:>8}", isa::engine_name(kind));
    });
    std::string table =
        fmt::format("{:>5} {:<22}{} {:>8} {:>12} {:>8} {:>10} {:>9}  {}\n", "#", "kernel", engines,
                    "sections", "bytes moved", "local", "us alone", "bound", "output");
    auto limit = made.limits.steps.begin();
    for (const StepCost& step : plan.costs) {
        const bool is_of_main = step.place == made.graph.entry;
        const std::string bound =
            is_of_main ? fmt::format("{:.1f}", limit++->time().microseconds()) : "-";
        const double share = 100.0 * static_cast<double>(step.local_bytes) /
                             static_cast<double>(made.machine.params.chip->local_memory_bytes);
        std::string commands;
        step.commands.visit(
            [&](isa::Engine, std::uint64_t count) { commands += fmt::format(" {:>8}", count); });
        table += fmt::format("{:>5} {:<22}{} {:>8} {:>12} {:>7.1f}% {:>10.1f} {:>9}  {} {}{}{}\n",
                             step.op_index, step.kernel, commands, step.parallel_sections,
                             step.bytes_moved, share, step.microseconds, bound,
                             printable(step.output), graph::shape_text(step.shape),
                             step.origin.empty() ? "" : " (" + printable(step.origin) + ")",
                             step.note.empty() ? "" : " (" + step.note + ")");
    }
    write_text(table);
    constexpr double kMiB = 1024.0 * 1024.0;
    format_out(
        "{}\n"
        "global memory: constants {:.1f} MiB, variables {:.1f} MiB, working {:.1f} MiB (values\n"
        "that are not needed at the same time share it)\n"
        "launch arguments: {} words; planning took {:.1f} ms of CPU time\n",
        provenance_text(made.machine), static_cast<double>(plan.constant_bytes) / kMiB,
        static_cast<double>(plan.variable_bytes) / kMiB,
        static_cast<double>(plan.working_bytes) / kMiB,
        std::accumulate(
            plan.costs.begin(), plan.costs.end(), std::uint64_t{0},
            [](std::uint64_t sum, const StepCost& step) { return sum + step.argument_words; }),
        made.planning_ms);
    if (made.search.is_cut) write_out(search_text(made.search) + "\n");
    if (!made.cached.empty()) write_out(made.cached + "\n");
    write_out(planning::emulation_text(made.emulated, made.machine));
    if (made.timed.fault) {
        write_out("total time: depends on values of the run (`okksim run`)\n");
        return;
    }
    format_out("simulated {:.1f} us (`okksim run --no-data`)\n{}",
               (made.timed.end - made.timed.start).microseconds(),
               report::limit_text(made.limited(), "plan"));
}

/// Adds bounds to `json`, and the total time if it is known.
void add_limits(nlohmann::ordered_json& json, const MadePlan& made) {
    auto limit = made.limits.steps.begin();
    json["step_bounds_us"] = nlohmann::ordered_json::array();
    for (const StepCost& step : made.plan.costs) {
        const bool is_of_main = step.place == made.graph.entry;
        json["step_bounds_us"].push_back(
            is_of_main ? nlohmann::ordered_json(limit++->time().microseconds()) : nullptr);
    }
    json["emulated_types"] = planning::emulation_json(made.emulated);
    json["search"] = planning::search_json(made.search);
    json["reachable_bound"] = report::bound_json(made.limits.whole);
    json["simulated_us"] = nullptr;
    if (made.timed.fault) return;
    json["simulated_us"] = (made.timed.end - made.timed.start).microseconds();
    json["floor"] = report::floor_json(made.limited());
    json["steps_beside_bounds"] = report::step_limits_json(made.limited());
}

void print_explanation(const planning::Explanation& explanation) {
    format_out("{}: {}", printable(explanation.name), explanation.step);
    if (explanation.operators > 1) format_out(", with {} operators", explanation.operators);
    write_out("\n");
    if (explanation.alternatives.empty()) return;
    const char* column = explanation.operators > 1 ? "us, all steps" : "us";
    format_out("{:>16}  {}\n", column, "alternative");
    for (const planning::Alternative& way : explanation.alternatives) {
        format_out(
            "{:>16}{} {}{}\n", way.microseconds ? fmt::format("{:.1f}", *way.microseconds) : "-",
            way.chosen ? " *" : "  ", way.what, way.note.empty() ? "" : " (" + way.note + ")");
    }
    write_out("* chosen; each time starts on idle engines\n");
}

nlohmann::ordered_json explanation_json(const planning::Explanation& explanation) {
    nlohmann::ordered_json json{{"operator", explanation.name},
                                {"step", explanation.step},
                                {"operators", explanation.operators},
                                {"alternatives", nlohmann::ordered_json::array()}};
    for (const planning::Alternative& way : explanation.alternatives) {
        json["alternatives"].push_back(
            {{"what", way.what},
             {"us", way.microseconds ? nlohmann::ordered_json(*way.microseconds) : nullptr},
             {"chosen", way.chosen},
             {"note", way.note}});
    }
    return json;
}

void report_plan(const PlanFlags& flags) {
    ReportOutput output(flags.report);
    std::optional<OutputFile> drawing;
    if (!flags.svg.empty()) drawing.emplace(flags.svg);
    const MadePlan made = make_plan(flags);
    if (drawing) {
        *drawing << report::plan_svg(made.graph, made.plan, made.machine);
        drawing->commit();
    }
    std::optional<planning::Explanation> explanation;
    if (!flags.explained.empty()) {
        explanation = planning::explain(made.graph, made.machine, made.plan, flags.explained);
    }
    if (output.wants_json()) {
        auto json = report::plan_json(made.graph, made.plan, made.machine);
        add_limits(json, made);
        if (explanation) json["explanation"] = explanation_json(*explanation);
        output.write_json(firmware::host::json_text(json));
    }
    if (!output.wants_text()) return;
    if (explanation) {
        print_explanation(*explanation);
        format_out("{}\n", provenance_text(made.machine));
    } else {
        print_text(made);
    }
}

}  // namespace

void add_plan_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<PlanFlags>();
    CLI::App* command = app.add_subcommand(
        "plan",
        "Show how a model will run, without running it. The table has a row per step: the kernel, "
        "its\n"
        "commands, the parallel sections (tiles in flight), bytes moved, local memory used, and "
        "the\n"
        "time of the step alone. Operators that share a kernel are one step. Example:\n"
        "  okksim plan model.tosa --set chip.lanes=32 --json=plan.json\n"
        "  okksim run model.tosa --plan plan.json");
    add_graph_options(*command, flags->graph);
    add_machine_options(*command, flags->machine);
    add_effort_options(*command, flags->effort);
    add_plan_cache_option(*command, flags->cache);
    add_json_option(*command, flags->report, "the plan as JSON");
    command->add_option("--svg", flags->svg,
                        "draw the local memory of every layer group over its sections to this "
                        "file: feature maps, weights, scratch");
    command->add_option(
        "--explain", flags->explained,
        "output or number of an operator: list every way to run it, with the time of each");
    command->callback([flags, &exit_code] {
        report_plan(*flags);
        exit_code = kSuccess;
    });
}

}  // namespace okksim::sim::cli
