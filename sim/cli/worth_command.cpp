// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "firmware/host/report_json.h"
#include "isa/base/output_file.h"
#include "isa/base/stop_request.h"
#include "sim/cli/commands.h"
#include "sim/cli/common_options.h"
#include "sim/cli/output.h"
#include "sim/cli/report_output.h"
#include "sim/graph/validate/validate.h"
#include "sim/study/worth/worth_report.h"

namespace okksim::sim::cli {
namespace {

struct WorthFlags {
    std::vector<std::string> models;
    MachineChoice machine{.machine = worth::StudyChoice().machine, .settings = {}};
    std::string groups;
    std::vector<std::string> parameters;
    planning::PlanEffort effort;
    int jobs = 0;
    std::string html;
    ReportForms report;
};

worth::StudyChoice choice_of(const WorthFlags& flags, bool has_groups) {
    worth::StudyChoice choice;
    choice.machine = flags.machine.machine;
    choice.settings = flags.machine.settings;
    if (has_groups) choice.groups = worth::GroupSet::from(flags.groups);
    choice.parameters = flags.parameters;
    return choice;
}

std::vector<graph::Graph> load_models(const WorthFlags& flags) {
    std::vector<graph::Graph> graphs;
    for (const std::string& model : flags.models) {
        graphs.push_back(GraphChoice{.model = model, .reader = {}, .inputs = {}}.load());
        graph::validate_graph(graphs.back());
    }
    return graphs;
}

int exit_code_of(const std::vector<worth::NetworkWorth>& networks) {
    const auto has_failed = [](const worth::NetworkRun& run) { return !run.failure.empty(); };
    const bool any = std::ranges::any_of(networks, [&](const worth::NetworkWorth& network) {
        return std::ranges::any_of(network.runs, has_failed);
    });
    return any && StopRequest::signal() == 0 ? kProgramFault : kSuccess;
}

int run(const WorthFlags& flags, bool has_groups) {
    const StopRequest stop;
    // Rejects impossible studies before any run.
    const worth::MachineStudy study = worth::make_study(choice_of(flags, has_groups));
    const std::vector<graph::Graph> graphs = load_models(flags);
    ReportOutput output(flags.report);
    std::optional<OutputFile> page;
    if (!flags.html.empty()) page.emplace(flags.html);
    std::vector<worth::NetworkInput> inputs;
    for (std::size_t i = 0; i < graphs.size(); ++i) inputs.push_back({flags.models[i], &graphs[i]});
    const Progress progress("machines");
    worth::RunOptions options;
    options.effort = flags.effort;
    options.jobs = process_count(flags.jobs);
    options.progress = [&](std::size_t done, std::size_t all) { progress.show(done, all); };
    const std::vector<worth::NetworkWorth> networks = worth::run_study(study, inputs, options);
    if (page) {
        *page << worth::worth_page(study, networks);
        page->commit();
    }
    if (output.wants_json()) {
        output.write_json(firmware::host::json_text(worth::worth_json(study, networks)));
    }
    if (output.wants_csv()) output.write_csv(worth::worth_csv(study, networks));
    if (output.wants_text()) write_text(worth::worth_text(study, networks));
    return exit_code_of(networks);
}

}  // namespace

void add_worth_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<WorthFlags>();
    CLI::App* command = app.add_subcommand(
        "worth",
        "Ablation study of ISA extensions: turn them off one at a time (and in pairs), re-plan, "
        "and "
        "report\n"
        "time, commands, DRAM bytes, energy, area, and which operators use which extension\n"
        "(sim/study/worth/README.md). Examples:\n"
        "  okksim worth mobilenet.tosa resnet50.tosa --html worth.html\n"
        "  okksim worth model.tosa --parameter features.rescale_multipliers=1,4,16");
    command->add_option("models", flags->models, kGraphFileHelp)->required();
    add_machine_options(*command, flags->machine);
    const CLI::Option* groups =
        command->add_option("--groups", flags->groups,
                            "groups to study, of the machine's section [features]; default: the "
                            "machine's groups, or all groups if it has none");
    command
        ->add_option("--parameter", flags->parameters,
                     "also run with all groups for each of these values of a parameter")
        ->allow_extra_args(false);
    add_effort_options(*command, flags->effort);
    add_jobs_option(*command, flags->jobs);
    command->add_option("--html", flags->html, "write an HTML page: points, operators, parameters");
    add_json_option(*command, flags->report);
    add_csv_option(*command, flags->report, "a row per model and point, as CSV");
    command->callback(
        [flags, groups, &exit_code] { exit_code = run(*flags, groups->count() > 0); });
}

}  // namespace okksim::sim::cli
