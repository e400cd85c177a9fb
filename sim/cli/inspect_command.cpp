// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "firmware/host/report_json.h"
#include "isa/base/stop_request.h"
#include "sim/cli/commands.h"
#include "sim/cli/common_options.h"
#include "sim/cli/output.h"
#include "sim/cli/report_output.h"
#include "sim/device/kernel_library.h"
#include "sim/graph/graph_errors.h"
#include "sim/study/inspect/inspection.h"

namespace okksim::sim::cli {
namespace {

struct InspectFlags {
    GraphChoice graph;
    MachineChoice machine;
    planning::PlanEffort effort;
    std::vector<std::string> libraries;
    bool no_time = false;
    ReportForms report;
};

inspect::ModelFacts read_facts(const InspectFlags& flags, const Machine& machine) {
    try {
        return inspect::facts_of(flags.graph.load(true), machine);
    } catch (const graph::GraphFileError& error) {
        if (error.unread().empty()) throw;
        return inspect::facts_of(error);
    }
}

execution::ModelRunOptions run_options(const InspectFlags& flags, const Machine& machine) {
    execution::ModelRunOptions options;
    options.model = flags.graph.model;
    options.function = flags.graph.reader.function;
    options.rounding = flags.graph.reader.chosen_rounding();
    options.input_shapes = flags.graph.input_shapes();
    options.inputs = flags.graph.input_files();
    options.chip.with_data = false;
    options.chip.with_diagnostics = false;
    options.machine = machine;
    options.effort = flags.effort;
    return options;
}

/// Adds the time of the model and of its remedies.
void add_times(inspect::Inspection& inspection, const InspectFlags& flags, const Machine& machine) {
    const execution::ModelRunOptions options = run_options(flags, machine);
    inspection.run = execution::run_model(options);
    if (inspection.run->report.fault) return;
    const Progress progress("changes");
    const inspect::MachineMaker make = [&](const std::string& name,
                                           const std::vector<std::string>& settings) {
        std::vector<std::string> all = flags.machine.settings;
        all.insert(all.end(), settings.begin(), settings.end());
        return load_machine(name.empty() ? flags.machine.machine : name, all);
    };
    inspection.remedies =
        inspect::try_remedies(options, make, inspection.facts.emulated,
                              [&](std::size_t done, std::size_t all) { progress.show(done, all); });
}

int exit_code_of(const inspect::Inspection& inspection) {
    if (!inspection.facts.errors.empty()) return kUsage;
    if (!inspection.facts.supported()) return kDifferences;
    const bool failed = inspection.run && inspection.run->report.fault;
    return failed ? kProgramFault : kSuccess;
}

int run(const InspectFlags& flags) {
    const StopRequest stop;
    // Loading registers the kernels; libraries stay loaded.
    for (const std::string& library : flags.libraries) (void)KernelLibrary(library);
    const Machine machine = flags.machine.load();
    ReportOutput report(flags.report);
    inspect::Inspection inspection;
    inspection.model = flags.graph.model;
    inspection.facts = read_facts(flags, machine);
    std::error_code none;
    inspection.file_bytes = std::filesystem::file_size(flags.graph.model, none);
    if (inspection.facts.supported() && !flags.no_time) add_times(inspection, flags, machine);
    if (report.wants_json()) {
        report.write_json(firmware::host::json_text(inspect::inspection_json(inspection, machine)));
    }
    if (report.wants_text()) write_text(inspect::inspection_text(inspection, machine));
    return exit_code_of(inspection);
}

}  // namespace

void add_inspect_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<InspectFlags>();
    CLI::App* command = app.add_subcommand(
        "inspect",
        "Show what a model contains, needs and costs: inputs, operators, everything that is not "
        "supported,\n"
        "memory, a machine with its instructions, time, lower bounds, the five steps that lose "
        "most, and what\n"
        "would help. Exit code 1 if something is not supported.\n"
        "Examples:\n"
        "  okksim inspect model.tosa --machine bm1684-int8\n"
        "  okksim inspect model.tosa --no-time --json");
    add_graph_options(*command, flags->graph);
    command
        ->add_option("--library", flags->libraries,
                     "shared library with kernels for CUSTOM operators (okk_custom.h)")
        ->allow_extra_args(false);
    command->add_flag("--no-time", flags->no_time, "leave out times, which need plans");
    add_machine_options(*command, flags->machine);
    add_effort_options(*command, flags->effort);
    add_json_option(*command, flags->report);
    command->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace okksim::sim::cli
